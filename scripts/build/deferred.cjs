/** Stands for a module until something of it is used: it is loaded then. A function that is one itself is a maker of functions, and loaded when the one that it made is called. */
module.exports = load =>
  new Proxy(() => {}, {
    get: (_, name) => load()[name],
    apply: (_, __, given) => {
      let made
      return (...values) => {
        made ??= load()(...given)
        return made(...values)
      }
    }
  })
