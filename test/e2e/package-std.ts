/**
 * A provider with two functions of Pulumi's package `std`, for tests. Its schema and its arguments
 * are those of pulumi-std 2.3.2, which no registry of the tests offers.
 */
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js'
import {
  GetSchemaResponse,
  type InvokeRequest,
  InvokeResponse,
  ConfigureResponse,
  ResourceProviderService,
} from '../../proto/gen/pulumi/provider.ts'
import { Empty } from '../../proto/gen/google/protobuf/empty.ts'
import { PluginInfo } from '../../proto/gen/pulumi/plugin.ts'

type Reply<T> = sendUnaryData<T>

const anything = { $ref: 'pulumi.json#/Any' }
const objects = { type: 'array', items: { type: 'object', additionalProperties: anything } }
const text = { type: 'string' }
const createFunction = (input: object, result: object): object => ({
  inputs: { type: 'object', properties: { input }, required: ['input'] },
  outputs: { type: 'object', properties: { result }, required: ['result'] },
})
const schema = {
  name: 'std',
  version: '2.3.2',
  functions: {
    'std:index:upper': createFunction(text, text),
    'std:index:merge': createFunction(objects, { type: 'object', additionalProperties: anything }),
  },
}

function invoke(token: string, input: unknown): unknown {
  return token === 'std:index:upper'
    ? String(input).toUpperCase()
    : Object.assign({}, ...(input as readonly object[]))
}

const server = new Server()
server.addService(ResourceProviderService, {
  getSchema: (_call: unknown, reply: Reply<GetSchemaResponse>) =>
    reply(null, GetSchemaResponse.create({ schema: JSON.stringify(schema) })),
  getPluginInfo: (_call: unknown, reply: Reply<PluginInfo>) =>
    reply(null, PluginInfo.create({ version: '2.3.2' })),
  attach: (_call: unknown, reply: Reply<Empty>) => reply(null, Empty.create({})),
  cancel: (_call: unknown, reply: Reply<Empty>) => reply(null, Empty.create({})),
  configure: (_call: unknown, reply: Reply<ConfigureResponse>) =>
    reply(null, ConfigureResponse.create({ acceptSecrets: false })),
  invoke: ({ request }: { request: InvokeRequest }, reply: Reply<InvokeResponse>) => {
    const result = invoke(request.tok, request.args?.['input'])
    reply(null, InvokeResponse.create({ return: { result } }))
  },
})
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, port) => {
  if (failure !== null) throw failure
  process.stdout.write(`${port}\n`)
})
