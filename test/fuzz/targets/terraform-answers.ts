import * as messages5 from '../../../proto/gen/terraform/tfplugin5.ts'
import * as messages6 from '../../../proto/gen/terraform/tfplugin6.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { ProviderError } from '../../../shared/providers/provider-error.ts'
import { createTerraformClient } from '../../../shared/providers/terraform/client/create-terraform-client.ts'
import type { ProtocolMajor } from '../../../shared/providers/terraform/client/handshake.ts'
import type { TerraformClient } from '../../../shared/providers/terraform/client/terraform-client.ts'
import {
  createScriptedProvider,
  inputsOf,
  type ScriptedTerraform,
} from '../../../shared/providers/terraform/driver/scripted-provider.fixture.ts'
import type { PropertyMap } from '../../../shared/values/value.ts'
import { type AnswerMessage, decodeAnswer, encodeAnswer } from '../answer-bytes.ts'
import type { FuzzTarget } from '../fuzz-target.ts'

const inputs = inputsOf({ label: 'a', tagLists: ['x'], rules: [new Map([['port', 80]])] })

/** The outputs of an existing resource, with its private data. */
const { outputs: existing } = await (await createScriptedProvider()).create(inputs)

/** Creates a client with the same answer to every call. */
function createAnsweringClient(protocol: ProtocolMajor, answer: Buffer): TerraformClient {
  return createTerraformClient(
    {
      name: 'x',
      call: async method => decodeAnswer(method.responseDeserialize, answer),
      stream: method =>
        Object.assign(
          (async function* () {
            yield decodeAnswer(method.responseDeserialize, answer)
          })(),
          { cancel: () => undefined },
        ),
      getExitReport: async () => undefined,
      redact: text => text,
    },
    { protocol, isDeferralAllowed: false },
  )
}

/** An answered call of a provider, and the requests of the engine that lead to the call. */
interface AnsweredCall {
  readonly message: string
  readonly run: (terraform: ScriptedTerraform) => unknown
}

const changed: PropertyMap = new Map([...inputs, ['zone', 'z2']])
const ticket = inputsOf({ type: 'x_ticket', args: inputsOf({ label: 't' }), attribute: 'token' })
const withTicket = new Map([...inputs, ['pass', inputsOf({ __ephemeral: ticket })] as const])
const thing = { urn: 'urn:pulumi:dev::p::x:index/thing:Thing::a' as Urn, name: 'a' }

/** The answered calls, by the names of the client's methods. */
const calls: Readonly<Record<string, AnsweredCall>> = {
  getProviderSchema: {
    message: 'GetProviderSchema_Response',
    run: async ({ provider, create }) => {
      await provider.describe?.getSchema({ name: '', version: '' })
      await create(inputs)
    },
  },
  getResourceIdentitySchemas: {
    message: 'GetResourceIdentitySchemas_Response',
    run: ({ create }) => create(inputs),
  },
  validateProviderConfig: {
    message: 'ValidateProviderConfig_Response',
    run: ({ create }) => create(inputs),
  },
  configureProvider: {
    message: 'ConfigureProvider_Response',
    run: ({ create }) => create(inputs),
  },
  validateResourceConfig: {
    message: 'ValidateResourceConfig_Response',
    run: ({ provider }) =>
      provider.check({
        ...thing,
        type: 'x:index/thing:Thing',
        oldInputs: undefined,
        newInputs: inputs,
        allowUnknowns: true,
        randomSeed: new Uint8Array(32),
      }),
  },
  upgradeResourceState: {
    message: 'UpgradeResourceState_Response',
    run: ({ diff }) => diff(existing, changed),
  },
  readResource: { message: 'ReadResource_Response', run: ({ read }) => read('id-a', existing) },
  importResourceState: { message: 'ImportResourceState_Response', run: ({ read }) => read('id-a') },
  planResourceChange: {
    message: 'PlanResourceChange_Response',
    run: async ({ create, diff, update, remove }) => {
      const changes = [
        () => create(inputs, { preview: true }),
        () => diff(existing, changed),
        () => update(existing, inputs),
        () => remove(existing),
      ]
      await runAll(changes)
    },
  },
  applyResourceChange: {
    message: 'ApplyResourceChange_Response',
    run: ({ create, update, remove }) =>
      runAll([() => create(inputs), () => update(existing, changed), () => remove(existing)]),
  },
  readDataSource: {
    message: 'ReadDataSource_Response',
    run: ({ invoke }) => invoke('getLookup', inputsOf({ label: 'a' })),
  },
  callFunction: {
    message: 'CallFunction_Response',
    run: ({ invoke }) => invoke('join', inputsOf({ left: 'a', right: 'b' })),
  },
  listResource: {
    message: 'ListResource_Event',
    run: ({ invoke }) => invoke('listThing', inputsOf({ includeResource: true })),
  },
  planAction: {
    message: 'PlanAction_Response',
    run: ({ invoke }) => invoke('runPoke', inputsOf({ label: 'a' })),
  },
  invokeAction: {
    message: 'InvokeAction_Event',
    run: ({ invoke }) => invoke('runPoke', inputsOf({ label: 'a' })),
  },
  openEphemeralResource: {
    message: 'OpenEphemeralResource_Response',
    run: ({ create }) => create(withTicket),
  },
  closeEphemeralResource: {
    message: 'CloseEphemeralResource_Response',
    run: ({ create }) => create(withTicket),
  },
  stopProvider: { message: 'StopProvider_Response', run: ({ provider }) => provider.cancel() },
}

/** Runs each request, also after a refusal. Throws the last refusal if none was accepted. */
async function runAll(requests: readonly (() => Promise<unknown>)[]): Promise<void> {
  const refusals: ProviderError[] = []
  for (const request of requests)
    try {
      await request()
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown
      refusals.push(thrown)
    }
  if (refusals.length === requests.length) throw refusals.at(-1)
}

/** The messages of both protocols. Some have other names in protocol 5. */
const names5: Readonly<Record<string, string>> = {
  ValidateProviderConfig_Response: 'PrepareProviderConfig_Response',
  ValidateResourceConfig_Response: 'ValidateResourceTypeConfig_Response',
  ConfigureProvider_Response: 'Configure_Response',
  StopProvider_Response: 'Stop_Response',
}

function findMessage(protocol: ProtocolMajor, name: string): AnswerMessage {
  const messages: object = protocol === 5 ? messages5 : messages6
  return Reflect.get(messages, protocol === 5 ? (names5[name] ?? name) : name) as AnswerMessage
}

/**
 * Answers of Terraform providers: a line with the method and the protocol, and the message, in
 * protobuf or JSON.
 */
export const terraformAnswersTarget: FuzzTarget = {
  async decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const [method = '', digit] = bytes.toString('utf8', 0, lineEnd).split(' ')
    const call = Object.hasOwn(calls, method) ? calls[method] : undefined
    if (call === undefined) throw createError('VALUE_MALFORMED', 'the input has no method')
    const protocol = digit === '5' ? 5 : 6
    const answer = encodeAnswer(findMessage(protocol, call.message), bytes.subarray(lineEnd + 1))
    const client = createAnsweringClient(protocol, answer)
    const answered = Reflect.get(client, method) as unknown
    await call.run(await createScriptedProvider(() => ({ [method]: answered })))
  },
  // Each call has an answer, so no call is lost.
  isRefusal: thrown => thrown instanceof ProviderError && thrown.status !== 'lost',
}
