import {
  CallRequest,
  InvokeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { parseUrn } from '../../names/urn.ts'
import { emptyMap, secretOf } from '../../values/value.ts'
import type { Provider } from '../provider.ts'
import { receiving, sending } from './options.ts'
import { containsSecret } from '../../values/walk.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import { ask, received, type Session, sent } from './session.ts'

type Ask<M extends keyof Provider> = Provider[M] extends (ask: infer Q) => unknown ? Q : never

/**
 * Invoke. Where the provider cannot take secrets and one was among the arguments, all that returns
 * is secret. An unconfigured provider gives nothing.
 */
export async function invoke(
  session: Session,
  asked: Ask<'invoke'>,
): ReturnType<Provider['invoke']> {
  const method = service.invoke
  const abilities = await session.ready()
  if (session.isUnconfigured()) return { outputs: emptyMap, failures: [] }
  const options = sending(abilities, { unknowns: false })
  const args = sent(session, method, { map: asked.args, options })
  // A preview is told only to providers that shook hands.
  const preview = session.greeted !== undefined && asked.preview
  const request = InvokeRequest.create({ tok: asked.token, args, preview })
  const answer = await ask(session, method, { request })
  const outputs = received(session, method, {
    struct: answer.return,
    options: receiving({ unknowns: false }),
  })
  const isTainted = !abilities.secrets && containsSecret(asked.args)
  return {
    outputs: isTainted
      ? new Map([...outputs].map(([key, value]) => [key, secretOf(value)]))
      : outputs,
    failures: answer.failures,
  }
}

/**
 * Call. Secrets and references always go wrapped, output values to who takes them; unknown outputs
 * are left out unless it is a preview. An unconfigured provider gives nothing. Source:
 * docs/spec/provider-protocol.md#call.
 */
export async function call(session: Session, asked: Ask<'call'>): ReturnType<Provider['call']> {
  const method = service.call
  const { bytes, outputs } = await session.ready()
  if (session.isUnconfigured()) return { outputs: emptyMap, failures: [] }
  const kept = { secrets: true, references: true } as const
  const options: WireOptions = { ...kept, unknowns: 'keep', outputs, bytes }
  const { project, stack, config, parallel, monitorAddress } = asked.surroundings
  const request = CallRequest.create({
    tok: asked.token,
    args: sent(session, method, { map: asked.args, options }),
    argDependencies: new Map(
      [...asked.argDependencies].map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
    project,
    stack,
    config: new Map(config),
    dryRun: asked.preview,
    parallel,
    monitorEndpoint: monitorAddress,
    acceptsOutputValues: true,
    stackTraceHandle: asked.stackTraceHandle,
  })
  const answer = await ask(session, method, { request })
  return {
    outputs: received(session, method, {
      struct: answer.return,
      options: { ...kept, unknowns: asked.preview ? 'keep' : 'drop', outputs: true, bytes: true },
    }),
    failures: answer.failures,
    dependencies: new Map(
      [...answer.returnDependencies].map(([key, { urns }]) => [key, urns.map(parseUrn)]),
    ),
  }
}
