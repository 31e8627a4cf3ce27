import {
  AnalyzeResponse,
  AnalyzerInfo,
  AnalyzerService,
  RemediateResponse,
} from '../../../proto/gen/pulumi/analyzer.ts'
import {
  GetRequiredPackagesResponse,
  GetRequiredPluginsResponse,
  LanguageRuntimeService,
} from '../../../proto/gen/pulumi/language.ts'
import { PluginInfo } from '../../../proto/gen/pulumi/plugin.ts'
import {
  CallResponse,
  ConfigureResponse,
  ConstructResponse,
  DiffResponse,
  GetMappingResponse,
  GetMappingsResponse,
  GetSchemaResponse,
  InvokeResponse,
  ParameterizeResponse,
  ProviderHandshakeResponse,
  ResourceProviderService,
} from '../../../proto/gen/pulumi/provider.ts'
import { status } from '@grpc/grpc-js'
import { createError } from '../../../shared/errors/error.ts'
import { isUrn } from '../../../shared/names/urn.ts'
import {
  createAnalyzer,
  fetchPackInfo,
} from '../../../shared/providers/analyzers/analyzer-driver.ts'
import {
  applyPolicySettings,
  mergeSettings,
  validateSettings,
} from '../../../shared/providers/analyzers/policy-settings.ts'
import { isServiceError } from '../../../shared/providers/plugins/call-failures.ts'
import type { Connection } from '../../../shared/providers/plugins/connection.ts'
import { parsePort } from '../../../shared/providers/plugins/start-plugin.ts'
import { ProviderError } from '../../../shared/providers/provider-error.ts'
import type { Provider } from '../../../shared/providers/provider.ts'
import {
  fetchPluginVersion,
  performHandshake,
} from '../../../shared/providers/pulumi/negotiation.ts'
import { createPulumiProvider } from '../../../shared/providers/pulumi/pulumi-provider.ts'
import { fetchPackages } from '../../../shared/programs/hosts/fetch-packages.ts'
import type { PropertyMap } from '../../../shared/values/value.ts'
import { type AnswerMessage, decodeAnswer, encodeAnswer } from '../answer-bytes.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const settings = { isPreviewDisabled: false, isLegacyPreview: false, refreshBeforeUpdate: true }
const resource = { urn: 'urn:pulumi:d::p::a:b:C::n', name: 'n', type: 'a:b:C' }
const providerResource = { urn: 'urn:pulumi:d::p::pulumi:providers:a::n', name: 'n', id: 'i' }
const inputs: PropertyMap = new Map([['a', 1]])
const context = {
  project: 'p',
  stack: 'd',
  organization: 'organization',
  config: new Map(),
  configSecretKeys: [],
  parallel: 1,
  monitorAddress: '127.0.0.1:1',
}

/** Creates a connection with this answer to one method. Every other method is not implemented. */
function connectTo(path: string, answer: Buffer): Connection {
  return {
    name: 'fuzz',
    getExitReport: async () => undefined,
    call: async method => {
      if (method.path === path) return decodeAnswer(method.responseDeserialize, answer)
      if (method.path === ResourceProviderService.configure.path)
        return method.responseDeserialize(Buffer.alloc(0))
      const details = 'not implemented'
      const metadata = { getMap: () => ({}), get: () => [] }
      throw Object.assign(new Error(details), { code: status.UNIMPLEMENTED, details, metadata })
    },
  }
}

/** An answered method, and the requests of the engine that lead to the answer. */
interface AnsweredMethod {
  readonly path: string
  readonly message: AnswerMessage
  readonly run: (connection: Connection) => unknown
}

/** Creates a method of a provider. With `isOld`, the provider has no handshake. */
function answerProvider(
  { path }: { readonly path: string },
  message: AnswerMessage,
  run: (provider: Provider) => unknown,
  isOld = false,
): AnsweredMethod {
  const capabilities = { secrets: true, references: true, bytes: true, outputs: true }
  const handshake = { ...capabilities, preview: true, naming: true }
  return {
    path,
    message,
    async run(connection) {
      const provider = createPulumiProvider({
        connection,
        pkg: 'a',
        version: '1.0.0',
        handshakeCapabilities: isOld ? undefined : handshake,
        settings,
        close: async () => undefined,
        hasEnded: () => false,
      })
      await provider.configure({ ...providerResource, type: 'pulumi:providers:a', inputs } as never)
      await run(provider)
    },
  }
}

const constructOptions = {
  aliases: [],
  hooks: undefined,
  customTimeouts: undefined,
  replacementTrigger: null,
  inputDependencies: new Map(),
  dependencies: [],
  replaceWith: [],
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  providers: new Map(),
}

async function construct(provider: Provider): Promise<void> {
  const common = { ...resource, parent: '', options: constructOptions, context }
  const request = { ...common, inputs, stackTraceHandle: '', preview: false }
  const result = await provider.construct(request as never)
  requireLaw(result !== 'unconfigured' && isUrn(result.urn), 'a component has a URN')
}

async function call(provider: Provider): Promise<void> {
  const request = { token: 'a:b:C/m', args: inputs, argDependencies: new Map(), context }
  const result = await provider.call({ ...request, stackTraceHandle: '', preview: true })
  const dependencies = [...(result.dependencies ?? new Map()).values()].flat()
  requireLaw(dependencies.every(isUrn), 'the results of a method depend on URNs')
}

/** Reads the description of a policy pack, and merges the settings of its policies. */
async function readPack(connection: Connection): Promise<void> {
  const info = await fetchPackInfo(connection, '')
  const userSettings = new Map([['all', { enforcement: 'mandatory', properties: {} }] as const])
  const merged = mergeSettings(info, userSettings)
  const [violation] = validateSettings(info.policies, merged)
  if (violation !== undefined) throw createError('POLICY_PACK_FAILED', violation)
  applyPolicySettings(info, merged)
}

const pack = { name: 'p', version: '', takesSettings: true, policies: [], settings: new Map() }
const openAnalyzer = (connection: Connection) =>
  createAnalyzer(connection, { info: pack, path: 'p', version: '', close: async () => undefined })
const analyzed = { ...resource, properties: inputs, provider: undefined }
const analyzedOptions = {
  protect: false,
  ignoreChanges: [],
  deleteBeforeReplace: undefined,
  additionalSecretOutputs: [],
  aliases: [],
  customTimeouts: {},
  parent: '',
}
const analyzedResource = { ...analyzed, options: analyzedOptions }

const listPackages = (connection: Connection) =>
  fetchPackages({ call: connection.call }, {
    entryPoint: '.',
    programFolder: '/',
    info: {},
  } as never)

const { handshake, getPluginInfo, ...provider } = ResourceProviderService
const describeSchema = ({ describe }: Provider) => describe?.getSchema({ name: '', version: '' })
const parameter = { name: 'a', version: '1.0.0', value: '' }
const oldAndNew = { oldInputs: inputs, oldOutputs: inputs, newInputs: inputs, ignoreChanges: [] }

/** The answered methods, by the first line of an input. */
const methods: Readonly<Record<string, AnsweredMethod>> = {
  construct: answerProvider(provider.construct, ConstructResponse, construct),
  call: answerProvider(provider.call, CallResponse, call),
  invoke: answerProvider(provider.invoke, InvokeResponse, ({ invoke }) =>
    invoke({ token: 'a:b:c', args: inputs, preview: true }),
  ),
  configure: answerProvider(provider.configure, ConfigureResponse, () => undefined, true),
  diffConfig: answerProvider(provider.diffConfig, DiffResponse, ({ diffConfig }) =>
    diffConfig({ ...providerResource, type: 'pulumi:providers:a', ...oldAndNew } as never),
  ),
  parameterize: answerProvider(provider.parameterize, ParameterizeResponse, ({ parameterize }) =>
    parameterize(parameter),
  ),
  getSchema: answerProvider(provider.getSchema, GetSchemaResponse, describeSchema),
  getMapping: answerProvider(provider.getMapping, GetMappingResponse, ({ describe }) =>
    describe?.getMapping({ ecosystem: 'terraform', provider: 'a' }),
  ),
  getMappings: answerProvider(provider.getMappings, GetMappingsResponse, ({ describe }) =>
    describe?.listMappings('terraform'),
  ),
  handshake: {
    path: handshake.path,
    message: ProviderHandshakeResponse,
    run: connection =>
      performHandshake(connection, { engineAddress: '127.0.0.1:1', refreshBeforeUpdate: true }),
  },
  getPluginInfo: { path: getPluginInfo.path, message: PluginInfo, run: fetchPluginVersion },
  packInfo: { path: AnalyzerService.getAnalyzerInfo.path, message: AnalyzerInfo, run: readPack },
  analyze: {
    path: AnalyzerService.analyze.path,
    message: AnalyzeResponse,
    run: connection => openAnalyzer(connection).analyze(analyzedResource as never),
  },
  remediate: {
    path: AnalyzerService.remediate.path,
    message: RemediateResponse,
    run: connection => openAnalyzer(connection).remediate(analyzedResource as never),
  },
  packages: {
    path: LanguageRuntimeService.getRequiredPackages.path,
    message: GetRequiredPackagesResponse,
    run: listPackages,
  },
  plugins: {
    path: LanguageRuntimeService.getRequiredPlugins.path,
    message: GetRequiredPluginsResponse,
    run: listPackages,
  },
}

/**
 * Answers of plugins, policy packs and language hosts: a line with the method, and the message in
 * protobuf or JSON. The line `port` stands for the first line of a plugin.
 */
export const pluginMessagesTarget: FuzzTarget = {
  async decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const name = bytes.toString('utf8', 0, lineEnd)
    const body = bytes.subarray(lineEnd + 1)
    if (name === 'port') {
      const port = parsePort(body.toString('utf8'))
      requireLaw(port === undefined || (port > 0 && port < 65_536), 'a port has 16 bits')
      return
    }
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (method === undefined) throw createError('VALUE_MALFORMED', 'the input has no method')
    await method.run(connectTo(method.path, encodeAnswer(method.message, body)))
  },
  // The callers of packs and hosts convert any failure to an error with a code. An exhausted stack
  // or a wrong type would be a defect in spite of that.
  isRefusal: thrown => {
    if (thrown instanceof ProviderError) return thrown.status !== 'lost'
    if (isServiceError(thrown)) return true
    const isDefect = thrown instanceof RangeError || thrown instanceof TypeError
    return thrown instanceof Error && !isDefect && !thrown.message.startsWith('broken law')
  },
}
