import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { packageOf } from '../../names/provider-reference.ts'
import type { PropertyMap } from '../../values/value.ts'
import { valueToWire } from '../../values/wire.ts'
import type { Provider } from '../provider.ts'
import { diffOf, unknownDiff } from './check-diff.ts'
import type { Abilities } from './negotiation.ts'
import { receiving, sendingConfig, sendingConfigure } from './options.ts'
import { containsUnknown, remarkSecrets } from '../../values/walk.ts'
import { ask, isUnimplemented, received, type Session, sent } from './session.ts'

type Ask<M extends keyof Provider> = Provider[M] extends (ask: infer Q) => unknown ? Q : never

/** CheckConfig; a provider without it takes every configuration. Marks secrets again, always. */
export async function checkConfig(
  session: Session,
  asked: Ask<'checkConfig'>,
): ReturnType<Provider['checkConfig']> {
  const method = service.checkConfig
  const { urn, name, type, olds, news, allowUnknowns } = asked
  const options = sendingConfig({ unknowns: allowUnknowns })
  const request = CheckRequest.create({
    urn,
    name,
    type,
    olds: olds && sent(session, method, { map: olds, options }),
    news: sent(session, method, { map: news, options }),
  })
  try {
    const { inputs, failures } = await ask(session, method, { request })
    const read = received(session, method, {
      struct: inputs,
      options: receiving({ unknowns: allowUnknowns }),
    })
    return { inputs: remarkSecrets(news, read), failures }
  } catch (thrown) {
    if (isUnimplemented(thrown)) return { inputs: news, failures: [] }
    throw thrown
  }
}

/** DiffConfig; a provider without it does not know, and never asks for a replacement. */
export async function diffConfig(
  session: Session,
  asked: Ask<'diffConfig'>,
): ReturnType<Provider['diffConfig']> {
  const method = service.diffConfig
  const options = sendingConfig({ unknowns: true })
  const write = (map: PropertyMap): Record<string, unknown> =>
    sent(session, method, { map, options })
  const request = DiffRequest.create({
    urn: asked.urn,
    name: asked.name,
    type: asked.type,
    oldInputs: write(asked.oldInputs),
    olds: write(asked.oldOutputs),
    news: write(asked.newInputs),
    ignoreChanges: [...asked.ignoreChanges],
  })
  try {
    return diffOf(session, method, await ask(session, method, { request }))
  } catch (thrown) {
    if (isUnimplemented(thrown)) return unknownDiff
    throw thrown
  }
}

/**
 * Configure. Left out when an input other than the version is unknown: the instance is then
 * unconfigured. Later calls wait for it and fail with its error
 * (docs/spec/provider-protocol.md#configure).
 */
export async function configure(session: Session, asked: Ask<'configure'>): Promise<void> {
  const { inputs } = asked
  for (const [key, value] of inputs)
    if (key !== 'version' && containsUnknown(value)) return session.settle(undefined)
  const outcome = callConfigure(session, asked)
  session.settle(outcome)
  await outcome
}

async function callConfigure(session: Session, asked: Ask<'configure'>): Promise<Abilities> {
  const method = service.configure
  const { urn, name, type, id, inputs } = asked
  const request = ConfigureRequest.create({
    variables: variablesOf(packageOf(type), inputs),
    args: sent(session, method, { map: inputs, options: sendingConfigure }),
    acceptSecrets: true,
    acceptResources: true,
    sendsOldInputs: true,
    sendsOldInputsToDelete: true,
    id,
    urn,
    name,
    type,
  })
  const answer = await ask(session, method, { request })
  return (
    session.greeted ?? {
      secrets: answer.acceptSecrets,
      references: answer.acceptResources,
      bytes: false,
      outputs: answer.acceptOutputs,
      preview: answer.supportsPreview,
      naming: answer.supportsAutonamingConfiguration,
    }
  )
}

/** The configuration as older providers read it: text by full name, JSON where it is no text. */
function variablesOf(pkg: string, inputs: PropertyMap): Map<string, string> {
  const options = sendingConfig({ unknowns: true })
  const variables = new Map<string, string>()
  for (const [key, value] of inputs) {
    if (key === 'version') continue
    const plain = valueToWire(value, options, key)
    const text = typeof plain === 'string' ? plain : JSON.stringify(plain)
    variables.set(`${pkg}:config:${key}`, text)
  }
  return variables
}
