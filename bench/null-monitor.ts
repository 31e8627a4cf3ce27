/**
 * Runs the program of the current folder with a monitor that makes only the calls that any engine
 * must make. With a state file, these calls are Check and Diff of each custom resource in the file.
 * Without a state file, they are Check and Create. The run is the baseline of benchmarks: the time
 * of program and provider without an engine. Usage:
 * `node bench/null-monitor.ts <state file, or ''> <options as JSON>`.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js'
import * as z from 'zod'
import { EngineService } from '../proto/gen/pulumi/engine.ts'
import {
  type RegisterResourceRequest,
  RegisterResourceResponse,
  ResourceMonitorService,
} from '../proto/gen/pulumi/resource.ts'
import { childUrnOf, urnPartsOf, type Urn } from '../shared/names/urn.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import { createNodeProgramHost } from '../shared/programs/hosts/node-host.ts'
import { decodeResource } from '../shared/state/resource-codec.ts'
import { parseEnvelope } from '../shared/state/snapshot-codec.ts'
import type { ResourceState } from '../shared/state/resource.ts'
import { decodeWire } from '../shared/values/decode-wire.ts'
import { encodeWire } from '../shared/values/encode-wire.ts'
import type { WireOptions } from '../shared/values/wire-options.ts'
import { repositoryRoot } from './engine.ts'
import { createNullProviders } from './null-providers.ts'

const wireOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: false,
  allowsByteStrings: true,
}
/** The form of the second argument. `pkg`: the one package of all custom resources. */
const optionsForm = z.object({
  project: z.string(),
  pkg: z.string(),
  config: z.record(z.string(), z.string()),
})
const [statePath = '', optionsText = '{}'] = process.argv.slice(2)
const monitorOptions = optionsForm.parse(JSON.parse(optionsText))
const deployment =
  statePath === '' ? undefined : (await parseEnvelope(readFileSync(statePath))).deployment
const keepCiphertext = (ciphertext: string): string => ciphertext
const states = new Map<string, ResourceState>(
  (deployment?.resources ?? []).map(resource => [
    resource.urn,
    decodeResource(resource, keepCiphertext),
  ]),
)
const programFolder = process.cwd()
const processes = createProcesses()
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  ),
)
const providers = createNullProviders({
  processes,
  env,
  programFolder,
  project: monitorOptions.project,
  pkg: monitorOptions.pkg,
  engineAddress: () => address,
})

async function registerResource(
  request: RegisterResourceRequest,
): Promise<RegisterResourceResponse> {
  const parent = request.parent === '' ? undefined : urnPartsOf(request.parent as Urn).qualifiedType
  const urn = childUrnOf({ stack: 'bench', project: monitorOptions.project }, parent, request)
  const state = states.get(urn)
  if (!request.custom || (state === undefined && statePath !== ''))
    return RegisterResourceResponse.create({ urn, object: {} })
  const provider = await providers.load()
  const resource = { urn, name: request.name, type: request.type }
  const newInputs = decodeWire(request.object, wireOptions)
  const checkResult = await provider.check({
    ...resource,
    oldInputs: state?.inputs,
    newInputs,
    allowUnknowns: false,
    randomSeed: new Uint8Array(32),
  })
  if (state === undefined) {
    const { inputs } = checkResult
    const created = await provider.create({
      ...resource,
      inputs,
      timeoutSeconds: 0,
      preview: false,
    })
    const object = encodeWire(created.outputs, wireOptions)
    return RegisterResourceResponse.create({ urn, id: created.id, object })
  }
  const old = { id: state.id, oldInputs: state.inputs, oldOutputs: state.outputs }
  // The result is not used. The call is made because its duration is part of the baseline.
  await provider.diff({
    ...resource,
    ...old,
    newInputs: checkResult.inputs,
    ignoreChanges: [],
    allowUnknowns: false,
  })
  return RegisterResourceResponse.create({
    urn,
    id: state.id,
    object: encodeWire(state.outputs, wireOptions),
  })
}

const createUnaryHandler =
  <Q, R>(answer: (request: Q) => Promise<R> | R): handleUnaryCall<Q, R> =>
  (call, reply) =>
    void Promise.resolve(answer(call.request)).then(
      value => reply(null, value),
      thrown => reply({ code: 2, details: String(thrown) }),
    )
const grpcOptions = { 'grpc.max_receive_message_length': 4e8, 'grpc.max_send_message_length': 4e8 }
const server = new Server(grpcOptions)
const emptyHandler = createUnaryHandler(() => ({}))
/** The numbers of the features of the monitor, as the engine reports them. */
const features = Array.from({ length: 16 }, (_, number) => number)
server.addService(ResourceMonitorService, {
  getDeploymentInfo: createUnaryHandler(() => ({
    project: monitorOptions.project,
    stack: 'bench',
    organization: 'organization',
    config: new Map(),
    configSecretKeys: [],
    dryRun: false,
    parallel: 16,
    supportedFeatures: features,
  })),
  supportsFeature: createUnaryHandler(() => ({ hasSupport: true })),
  registerPackage: createUnaryHandler(request => {
    providers.registerPackage(request)
    return { ref: 'package' }
  }),
  registerResource: createUnaryHandler(registerResource),
  registerResourceOutputs: emptyHandler,
  signalAndWaitForShutdown: emptyHandler,
})
server.addService(EngineService, {
  log: emptyHandler,
  setRootResource: emptyHandler,
  getRootResource: createUnaryHandler(() => ({ urn: '' })),
})
const port = await new Promise<number>((resolve, reject) =>
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (bindError, boundPort) =>
    bindError === null ? resolve(boundPort) : reject(bindError),
  ),
)
const address = `127.0.0.1:${port}`
const programs = createNodeProgramHost({
  processes,
  env,
  antichainNode: join(repositoryRoot, 'node_modules', 'node', 'bin', 'node'),
})
const programRun = await programs.run(
  {
    project: monitorOptions.project,
    stack: 'bench',
    organization: 'organization',
    runtime: 'nodejs',
    projectFolder: programFolder,
    programFolder,
    entryPoint: '.',
    runtimeOptions: {},
    config: new Map(Object.entries(monitorOptions.config)),
    configSecretKeys: [],
    dryRun: false,
    parallel: 16,
    monitorAddress: address,
    engineAddress: address,
  },
  line => console.error(`${basename(programFolder)}: ${line}`),
)
const end = await programRun.programEnd
await providers.close()
server.forceShutdown()
await processes.close()
process.exit(end.error === undefined && !end.hasReportedError ? 0 : 1)
