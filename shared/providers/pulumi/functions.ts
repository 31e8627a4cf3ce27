import {
  InvokeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { emptyMap, secretOf } from '../../values/value.ts'
import type { Provider } from '../provider.ts'
import { receiving, sending } from './options.ts'
import { containsSecret } from '../../values/walk.ts'
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
