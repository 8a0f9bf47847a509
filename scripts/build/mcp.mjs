/**
 * What `mcp` needs of the Model Context Protocol: one file, because the server and its transport
 * both hold the protocol's schemas.
 */
export { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
export { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
export { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
