import { ProviderError } from '../provider-error.ts'
import { checkedResourceName, identityOfType, type ProviderContext } from './check-context.ts'
import {
  bothProtocols,
  type Contract,
  type ContractInfo,
  type ContractOutcome,
  failIf,
  fail,
  exempt,
  passed,
} from './contract.ts'

/** The contract that is checked when the runner starts the provider. */
export const handshakeContract: ContractInfo = {
  id: 'handshake',
  title: 'the provider starts, and negotiates its protocol',
  source: 'docs/spec/provider-protocol.md#port-handshake-on-stdout',
  severity: 'error',
  protocols: bothProtocols,
  remedy: 'Print nothing before the handshake, and serve the protocol until the host ends it.',
}

const providerTypeOf = (name: string): string => `pulumi:providers:${name}`

/** The contracts of the whole provider, which are checked before its types. */
export const providerContracts: readonly Contract<ProviderContext>[] = [
  {
    id: 'schema-valid',
    title: 'the schema is valid',
    source: 'docs/spec/provider-protocol.md#getschema',
    severity: 'error',
    protocols: bothProtocols,
    remedy: 'Correct the named types and properties of the schema.',
    async run(context) {
      const schema = await context.getOpenedProvider().readSchema()
      if (schema === undefined) return exempt('the provider has no schema')
      context.setSchema(schema)
      return schema.flaws.length === 0 ? passed : fail(schema.flaws.join('; '))
    },
  },
  {
    id: 'schema-stable',
    title: 'a second request returns the same schema',
    source: 'docs/spec/provider-protocol.md#getschema',
    severity: 'error',
    protocols: bothProtocols,
    remedy: 'Return the same schema each time, also before the provider is configured.',
    async run(context) {
      const first = context.getSchema()
      if (first === undefined) return exempt('the provider has no schema')
      const second = await context.getOpenedProvider().readSchema()
      return failIf(second?.text === first.text ? undefined : 'the two schemas differ')
    },
  },
  {
    id: 'config-accepted',
    title: 'the check accepts the configuration of the provider',
    source: 'docs/spec/provider-protocol.md#checkconfig',
    severity: 'error',
    protocols: bothProtocols,
    remedy:
      'Accept a configuration without optional properties. Name required ones under `provider` in the file of --config.',
    async run(context) {
      const provider = context.getProvider()
      const { failures } = await provider.checkConfig({
        ...identityOfType(providerTypeOf(provider.pkg)),
        oldInputs: undefined,
        newInputs: context.providerInputs,
        allowUnknowns: true,
      })
      return failIf(failures.length === 0 ? undefined : describeFailures(failures))
    },
  },
  {
    id: 'configure',
    title: 'the provider can be configured',
    source: 'docs/spec/provider-protocol.md#configure',
    severity: 'error',
    protocols: bothProtocols,
    remedy:
      'Report what the configuration lacks, and name it under `provider` in the file of --config.',
    async run(context) {
      const provider = context.getProvider()
      await provider.configure({
        ...identityOfType(providerTypeOf(provider.pkg)),
        id: checkedResourceName,
        inputs: context.providerInputs,
      })
      return passed
    },
  },
  {
    id: 'unknown-type',
    title: 'a resource type that does not exist does not crash the provider',
    source: 'docs/spec/provider-protocol.md#errors',
    severity: 'error',
    protocols: bothProtocols,
    remedy: 'Return an error for a type that the provider does not know.',
    async run(context) {
      const provider = context.getProvider()
      return requireSurvival(context, () =>
        provider.check({
          ...identityOfType(`${provider.pkg}:index:NoSuchType`),
          oldInputs: undefined,
          newInputs: new Map(),
          allowUnknowns: true,
          randomSeed: new Uint8Array(32),
        }),
      )
    },
  },
  {
    id: 'unknown-function',
    title: 'a call of a function that does not exist returns an error, without a crash',
    source: 'docs/spec/provider-protocol.md#invoke',
    severity: 'error',
    protocols: bothProtocols,
    remedy: 'Return an error for a function that the provider does not know.',
    async run(context) {
      const provider = context.getProvider()
      let isAccepted = false
      const outcome = await requireSurvival(context, async () => {
        const token = `${provider.pkg}:index:noSuchFunction`
        const result = await provider.invoke({ token, args: new Map(), preview: false })
        isAccepted = result.failures.length === 0
      })
      return isAccepted ? fail('the provider returned a result for an unknown function') : outcome
    },
  },
]

/** The contracts of the whole provider, which are checked after its types. */
export const closingContracts: readonly Contract<ProviderContext>[] = [
  {
    id: 'cancel',
    title: 'the request to cancel returns, and the process stays',
    source: 'docs/spec/provider-protocol.md#cancellation-and-shutdown',
    severity: 'error',
    protocols: bothProtocols,
    remedy:
      'Return from Cancel immediately, end running calls early, and leave the exit to the host.',
    async run(context) {
      const failure = await context.getOpenedProvider().stop()
      if (failure !== undefined) return fail(`the provider reports: ${failure}`)
      return failIf(
        context.getProvider().hasEnded() ? 'the process ended after the request' : undefined,
      )
    },
  },
]

/** Formats failures of Check. */
export function describeFailures(
  failures: readonly { readonly property: string; readonly reason: string }[],
): string {
  return failures
    .map(({ property, reason }) => (property === '' ? reason : `${property}: ${reason}`))
    .join('; ')
}

/** Makes a call that the provider may refuse. Returns a failure if the process ends. */
export async function requireSurvival(
  context: ProviderContext,
  call: () => Promise<unknown>,
): Promise<ContractOutcome> {
  try {
    await call()
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown
    if (thrown.status === 'lost') return fail(thrown.message)
  }
  return failIf(context.getProvider().hasEnded() ? 'the process ended' : undefined)
}
