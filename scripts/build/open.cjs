/** What the package is as a whole, as `import` of a CommonJS module gives it. */
module.exports = require('open').default
