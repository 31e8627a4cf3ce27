/**
 * Drives the program of the current folder with a monitor that knows every answer from an export.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js'
import { z } from 'zod'
import { EngineService } from '../proto/gen/pulumi/engine.ts'
import {
  type RegisterResourceRequest,
  RegisterResourceResponse,
  ResourceMonitorService,
} from '../proto/gen/pulumi/resource.ts'
import { childUrn, partsOf, type Urn } from '../shared/names/urn.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import { createNodeProgramHost } from '../shared/programs/node-host.ts'
import { createPluginHost } from '../shared/providers/plugins/host.ts'
import type { Provider } from '../shared/providers/provider.ts'
import { decodeResource } from '../shared/state/codec.ts'
import { parseEnvelope } from '../shared/state/deployment.ts'
import type { ResourceState } from '../shared/state/resource.ts'
import { fromWire, toWire } from '../shared/values/wire.ts'
import type { WireOptions } from '../shared/values/wire-options.ts'
import { root } from './engine.ts'

const wire: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: false,
  bytes: true,
}
/** What the program is run as, and the package of all its resources. */
const aboutForm = z.object({
  project: z.string(),
  pkg: z.string(),
  config: z.record(z.string(), z.string()),
})
const [exported = '', words = '{}'] = process.argv.slice(2)
const about = aboutForm.parse(JSON.parse(words))
const { deployment } = parseEnvelope(readFileSync(exported, 'utf8'))
const states = new Map<string, ResourceState>(
  (deployment?.resources ?? []).map(stored => [stored.urn, decodeResource(stored, text => text)]),
)
const directory = process.cwd()
const processes = createProcesses()
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  ),
)
const plugins = createPluginHost({
  processes,
  env,
  path: env['PATH'] ?? '',
  home: homedir(),
  programDirectory: directory,
  project: about.project,
  runtimeOptions: {},
  engineAddress: () => address,
  said: () => undefined,
})

let provider: Promise<Provider> | undefined
const loadedProvider = async (): Promise<Provider> => {
  const type = `pulumi:providers:${about.pkg}`
  const loaded = await plugins.load(
    { kind: 'resource', name: about.pkg, version: '', downloadUrl: '' },
    { pkg: about.pkg, config: {} },
  )
  const urn = childUrn({ stack: 'bench', project: about.project }, undefined, {
    type,
    name: 'default',
  })
  await loaded.configure({
    urn,
    name: 'default',
    type,
    id: 'null',
    inputs: new Map(),
  })
  return loaded
}

async function register(request: RegisterResourceRequest): Promise<RegisterResourceResponse> {
  const parent = request.parent === '' ? undefined : partsOf(request.parent as Urn).qualifiedType
  const urn = childUrn({ stack: 'bench', project: about.project }, parent, request)
  const state = states.get(urn)
  if (!request.custom || state === undefined)
    return RegisterResourceResponse.create({ urn, object: {} })
  provider ??= loadedProvider()
  const instance = await provider
  const subject = { urn, name: request.name, type: request.type }
  const news = fromWire(request.object, wire)
  const checked = await instance.check({
    ...subject,
    olds: state.inputs,
    news,
    allowUnknowns: false,
    randomSeed: new Uint8Array(32),
  })
  const old = { id: state.id, oldInputs: state.inputs, oldOutputs: state.outputs }
  await instance.diff({
    ...subject,
    ...old,
    newInputs: checked.inputs,
    ignoreChanges: [],
    allowUnknowns: false,
  })
  return RegisterResourceResponse.create({ urn, id: state.id, object: toWire(state.outputs, wire) })
}

const unary =
  <Q, R>(answer: (request: Q) => Promise<R> | R): handleUnaryCall<Q, R> =>
  (call, reply) =>
    void Promise.resolve(answer(call.request)).then(
      value => reply(null, value),
      thrown => reply({ code: 2, details: String(thrown) }),
    )
const options = { 'grpc.max_receive_message_length': 4e8, 'grpc.max_send_message_length': 4e8 }
const server = new Server(options)
const empty = unary(() => ({}))
const features = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
server.addService(ResourceMonitorService, {
  getDeploymentInfo: unary(() => ({
    project: about.project,
    stack: 'bench',
    organization: 'organization',
    config: new Map(),
    configSecretKeys: [],
    dryRun: false,
    parallel: 16,
    supportedFeatures: features,
  })),
  supportsFeature: unary(() => ({ hasSupport: true })),
  registerResource: unary(register),
  registerResourceOutputs: empty,
  signalAndWaitForShutdown: empty,
})
server.addService(EngineService, {
  log: empty,
  setRootResource: empty,
  getRootResource: unary(() => ({ urn: '' })),
})
const port = await new Promise<number>((resolve, reject) =>
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failed, bound) =>
    failed === null ? resolve(bound) : reject(failed),
  ),
)
const address = `127.0.0.1:${port}`
const programs = createNodeProgramHost({
  processes,
  env,
  ourNode: join(root, 'node_modules', 'node', 'bin', 'node'),
})
const running = await programs.run(
  {
    project: about.project,
    stack: 'bench',
    organization: 'organization',
    runtime: 'nodejs',
    root: directory,
    directory,
    entryPoint: '.',
    runtimeOptions: {},
    config: new Map(Object.entries(about.config)),
    configSecretKeys: [],
    dryRun: false,
    parallel: 16,
    monitorAddress: address,
    engineAddress: address,
  },
  line => console.error(`${basename(directory)}: ${line}`),
)
const end = await running.ended
await plugins.close()
server.forceShutdown()
await processes.close()
process.exit(end.error === undefined && !end.bail ? 0 : 1)
