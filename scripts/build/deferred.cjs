/** Stands for a module until something of it is used: it is loaded then. */
module.exports = load => new Proxy({}, { get: (_, name) => load()[name] })
