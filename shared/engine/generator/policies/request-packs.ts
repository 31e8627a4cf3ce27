import type { Urn } from '../../../names/urn.ts'
import { messageOf } from '../../../errors/error.ts'
import type { Analyzer } from '../../../providers/analyzers/analyzer.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { decided, failDeployment, type Result, stopped } from '../stage.ts'

/** Requests all packs at once. A pack that fails ends the deployment with its error. */
export async function requestPacks<T>(
  ctx: GeneratorContext,
  request: {
    readonly urn?: Urn
    readonly what: string
    /** The properties in the request: their secrets are redacted in errors. */
    readonly known: readonly PropertyMap[]
  },
  call: (pack: Analyzer) => Promise<T>,
): Promise<Result<readonly { readonly pack: Analyzer; readonly answer: T }[]>> {
  const { ports } = ctx
  const requests = Promise.all(
    ports.analyzers.map(async pack => {
      try {
        return [{ pack, answer: await call(pack) }]
      } catch (thrown) {
        if (ports.isAborted()) return []
        const why = createRedactor(collectSecretTexts(...request.known))(messageOf(thrown))
        const message = `failed to ${request.what} of ${pack.info.name}: ${why}`
        finishStage(ctx, failDeployment(ports.emitter.scrub(message), request.urn))
        return []
      }
    }),
  )
  const answers = await Promise.race([requests, ports.aborted])
  // A pack that failed has ended the deployment.
  if (answers === undefined || ports.isAborted()) return stopped
  return decided(answers.flat())
}
