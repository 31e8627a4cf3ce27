'use strict'
// The provider of the package `null`. It responds to every call at once, and changes nothing.
const { createRequire } = require('node:module')
const load = createRequire(`${process.env.BENCH_SDK}/`)
const grpc = load('@grpc/grpc-js')
const { ResourceProviderService } = load('@pulumi/pulumi/proto/provider_grpc_pb')
const pb = load('@pulumi/pulumi/proto/provider_pb')
const plugin = load('@pulumi/pulumi/proto/plugin_pb')
const { Empty } = load('google-protobuf/google/protobuf/empty_pb.js')

const fill = (message, setFields) => {
  setFields(message)
  return message
}
const answers = {
  getPluginInfo: () => fill(new plugin.PluginInfo(), info => info.setVersion('1.0.0')),
  configure: () => fill(new pb.ConfigureResponse(), response => response.setAcceptsecrets(true)),
  check: request => fill(new pb.CheckResponse(), response => response.setInputs(request.getNews())),
  diff: () =>
    fill(new pb.DiffResponse(), response =>
      response.setChanges(pb.DiffResponse.DiffChanges.DIFF_NONE),
    ),
  create: request =>
    fill(new pb.CreateResponse(), response => {
      response.setId(`id-${request.getName()}`)
      response.setProperties(request.getProperties())
    }),
  read: request =>
    fill(new pb.ReadResponse(), response => {
      response.setId(request.getId())
      response.setInputs(request.getInputs())
      response.setProperties(request.getProperties())
    }),
  delete: () => new Empty(),
  cancel: () => new Empty(),
}
const handlers = Object.fromEntries(
  Object.entries(answers).map(([name, answer]) => [
    name,
    (call, reply) => reply(null, answer(call.request)),
  ]),
)
const server = new grpc.Server({ 'grpc.max_receive_message_length': 4e8 })
server.addService(ResourceProviderService, handlers)
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (bindError, port) => {
  if (bindError) throw bindError
  process.stdout.write(`${port}\n`)
})
