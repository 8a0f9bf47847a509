/** What Fastify compiles the schemas of routes with: one file, because both hold ajv. */
exports.validators = require('@fastify/ajv-compiler')
exports.serializers = require('@fastify/fast-json-stringify-compiler')
