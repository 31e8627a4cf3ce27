import type { Urn } from '../../../names/urn.ts'
import { messageOf } from '../../../errors/error.ts'
import type { Analyzer } from '../../../providers/analyzers/analyzer.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { toDecided, failDeployment, type Result, stoppedResult } from '../stage.ts'

/** Calls all policy packs concurrently. The error of a pack ends the deployment. */
export async function callPolicyPacks<T>(
  ctx: GeneratorContext,
  request: {
    readonly urn?: Urn
    /** The failed task in error messages, after `failed to`, such as `run policy`. */
    readonly task: string
    /** The properties in the request. Their secrets are redacted in errors. */
    readonly requestProperties: readonly PropertyMap[]
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
        const reason = createRedactor(collectSecretTexts(...request.requestProperties))(
          messageOf(thrown),
        )
        const message = `failed to ${request.task} of ${pack.info.name}: ${reason}`
        finishStage(ctx, failDeployment(ports.emitter.redact(message), request.urn))
        return []
      }
    }),
  )
  const answers = await Promise.race([requests, ports.whenAborted])
  // A pack that failed has ended the deployment.
  if (answers === undefined || ports.isAborted()) return stoppedResult
  return toDecided(answers.flat())
}
