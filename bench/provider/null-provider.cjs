'use strict'
const { createRequire } = require('node:module')
const load = createRequire(`${process.env.BENCH_SDK}/`)
const grpc = load('@grpc/grpc-js')
const { ResourceProviderService } = load('@pulumi/pulumi/proto/provider_grpc_pb')
const pb = load('@pulumi/pulumi/proto/provider_pb')
const plugin = load('@pulumi/pulumi/proto/plugin_pb')
const { Empty } = load('google-protobuf/google/protobuf/empty_pb.js')

const with_ = (message, set) => {
  set(message)
  return message
}
const answers = {
  getPluginInfo: () => with_(new plugin.PluginInfo(), r => r.setVersion('1.0.0')),
  configure: () => with_(new pb.ConfigureResponse(), r => r.setAcceptsecrets(true)),
  check: q => with_(new pb.CheckResponse(), r => r.setInputs(q.getNews())),
  diff: () =>
    with_(new pb.DiffResponse(), r => r.setChanges(pb.DiffResponse.DiffChanges.DIFF_NONE)),
  create: q =>
    with_(new pb.CreateResponse(), r => {
      r.setId(`id-${q.getName()}`)
      r.setProperties(q.getProperties())
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
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (failed, port) => {
  if (failed) throw failed
  process.stdout.write(`${port}\n`)
})
