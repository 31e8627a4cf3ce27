/** A provider of the driver over a scripted client. */
import type { Urn } from '../../../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import type { Provider } from '../../provider.ts'
import type { MsgpackValue, TerraformClient } from '../client/terraform-client.ts'
import { createScriptedClient } from './scripted-client.fixture.ts'
import { createTerraformProvider } from './terraform-provider.ts'

/** A call that the driver made. */
export interface ScriptedCall {
  readonly rpc: string
  readonly request: Readonly<Record<string, unknown>>
}

/** Whether a request belongs to a preview. */
interface PreviewOption {
  readonly preview: boolean
}

/** A provider, with records of its calls and messages. */
export interface ScriptedTerraform {
  readonly provider: Provider
  readonly calls: readonly ScriptedCall[]
  readonly warnings: readonly string[]
  readonly messages: readonly string[]
  readonly create: (inputs: PropertyMap, options?: PreviewOption) => ReturnType<Provider['create']>
  readonly update: (
    outputs: PropertyMap,
    newInputs: PropertyMap,
    options?: PreviewOption,
  ) => ReturnType<Provider['update']>
  readonly diff: (
    outputs: PropertyMap,
    newInputs: PropertyMap,
    ignoreChanges?: readonly string[],
  ) => ReturnType<Provider['diff']>
  readonly remove: (outputs: PropertyMap) => Promise<void>
  readonly read: (id: string, outputs?: PropertyMap) => ReturnType<Provider['read']>
  readonly invoke: (
    name: string,
    args: PropertyMap,
    options?: PreviewOption,
  ) => ReturnType<Provider['invoke']>
  /** Returns the names of the calls since the configuration or the previous `takeCalls`. */
  readonly takeCalls: () => readonly string[]
  /** Returns the last request of a kind. */
  readonly requestOf: (rpc: keyof TerraformClient) => Readonly<Record<string, MsgpackValue>>
}

/** The resource of all requests about a resource. */
const thing = {
  urn: 'urn:pulumi:dev::p::x:index/thing:Thing::a' as Urn,
  name: 'a',
  type: 'x:index/thing:Thing',
}

/** Creates the property map of some inputs. */
export function inputsOf(inputs: Readonly<Record<string, PropertyValue>>): PropertyMap {
  return new Map(Object.entries(inputs))
}

/** Options of a scripted provider. */
export interface ScriptOptions {
  /** Members of the package parameter besides the path. */
  readonly parameter?: Readonly<Record<string, unknown>>
  /** Whether this process is ending. By default it is not. */
  readonly isEnding?: () => boolean
  /** The configuration of the provider. */
  readonly config?: PropertyMap
}

/** Creates a configured provider. `script` returns the calls that differ from the usual ones. */
export async function createScriptedProvider(
  script: (base: TerraformClient) => Partial<TerraformClient> = () => ({}),
  options: ScriptOptions = {},
): Promise<ScriptedTerraform> {
  const calls: ScriptedCall[] = []
  const warnings: string[] = []
  const messages: string[] = []
  const base = createScriptedClient()
  const client = recordCalls({ ...base, ...script(base) }, calls)
  const binary = { path: '/x', version: '1.0.0', source: './x', providerName: 'x' }
  const provider = createTerraformProvider({
    name: 'x',
    findBinary: () => Promise.resolve(binary),
    start: async () => ({ client, hasEnded: () => false, close: () => Promise.resolve() }),
    isEnding: options.isEnding ?? (() => false),
    warn: text => void warnings.push(text),
    inform: text => void messages.push(text),
  })
  const parameter = JSON.stringify({ local: { path: './x' }, ...options.parameter })
  const value = Buffer.from(parameter).toString('base64')
  await provider.parameterize({ name: 'x', version: '1.0.0', value })
  await provider.configure({
    urn: 'urn:pulumi:dev::p::pulumi:providers:x::default' as Urn,
    name: 'default',
    type: 'pulumi:providers:x',
    id: 'p',
    inputs: options.config ?? new Map(),
  })
  let takenCount = calls.length
  return {
    provider,
    calls,
    warnings,
    messages,
    ...createRequests(provider),
    takeCalls() {
      const names = calls.slice(takenCount).map(({ rpc }) => rpc)
      takenCount = calls.length
      return names
    },
    requestOf(rpc) {
      const call = calls.findLast(candidate => candidate.rpc === rpc)
      if (call === undefined) throw new Error(`there was no ${rpc}`)
      return call.request as Readonly<Record<string, MsgpackValue>>
    },
  }
}

const noPreview: PreviewOption = { preview: false }

function createRequests(
  provider: Provider,
): Pick<ScriptedTerraform, 'create' | 'update' | 'diff' | 'remove' | 'read' | 'invoke'> {
  const common = { ...thing, timeoutSeconds: 0 }
  const id = 'id-a'
  return {
    create: (inputs, { preview } = noPreview) => provider.create({ ...common, inputs, preview }),
    update: (oldOutputs, newInputs, { preview } = noPreview) =>
      provider.update({
        ...common,
        id,
        oldInputs: newInputs,
        oldOutputs,
        newInputs,
        preview,
        ignoreChanges: [],
      }),
    diff: (oldOutputs, newInputs, ignoreChanges = []) =>
      provider.diff({
        ...thing,
        id,
        oldInputs: newInputs,
        oldOutputs,
        newInputs,
        ignoreChanges,
        allowUnknowns: true,
      }),
    remove: outputs => provider.delete({ ...common, id, inputs: new Map(), outputs }),
    read: (readId, outputs) => provider.read({ ...common, id: readId, inputs: undefined, outputs }),
    invoke: (name, args, { preview } = noPreview) =>
      provider.invoke({ token: `x:index/${name}:${name}`, args, preview }),
  }
}

/** Wraps each call, so that its request is recorded before it runs. */
function recordCalls(client: TerraformClient, calls: ScriptedCall[]): TerraformClient {
  return Object.fromEntries(
    Object.entries(client).map(([rpc, call]: [string, unknown]) => [
      rpc,
      typeof call === 'function'
        ? (request: Readonly<Record<string, unknown>>) => {
            calls.push({ rpc, request })
            return call(request) as unknown
          }
        : call,
    ]),
  ) as unknown as TerraformClient
}
