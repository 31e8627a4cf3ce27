import { hasCode } from '../../../errors/error.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import type { GeneratorContext } from '../context.ts'
import { DeploymentAborted, finishStage } from '../finish-stage.ts'
import { generate } from '../generate.ts'
import type { CurrentState } from '../sets.ts'
import {
  toDecided,
  type FailedResult,
  failDeployment,
  type Result,
  type StageResult,
  stoppedResult,
} from '../stage.ts'
import { registrationUrnOf } from './assign-urn.ts'
import type { Goal } from './goal.ts'

/**
 * Runs the stages of a registration for one goal. Returns the resulting resource, or a failure that
 * is already reported. An error of a provider and VALUE_MALFORMED end the deployment, and are
 * returned as a failure. `DeploymentAborted` is returned as a failure too. Any other exception ends
 * the deployment and is thrown.
 */
export async function registerResource(
  ctx: GeneratorContext,
  goal: Goal,
): Promise<Result<CurrentState>> {
  try {
    return toResourceResult(ctx, goal, await generate(ctx, goal))
  } catch (thrown) {
    // An aborted deployment rejects the promises of its running steps with `DeploymentAborted`.
    if (thrown instanceof DeploymentAborted) return stoppedResult
    if (thrown instanceof ProviderError || hasCode(thrown, 'VALUE_MALFORMED')) {
      const redact = createRedactor(collectSecretTexts(goal.inputs))
      return finishStage(
        ctx,
        failDeployment(redact(thrown.message), registrationUrnOf(ctx.input, goal)),
      )
    }
    ctx.ports.abort(thrown)
    throw thrown
  }
}

function toResourceResult(
  ctx: GeneratorContext,
  goal: Goal,
  result: StageResult<CurrentState>,
): Result<CurrentState> {
  if (result.kind === 'decided') return result
  if (result.kind === 'failed') return recordFailure(ctx, goal, result)
  return toDecided(result.current)
}

/** Adds the URN to a failure. Records the URN as failed, so that its dependents fail too. */
function recordFailure(ctx: GeneratorContext, goal: Goal, { failure }: FailedResult): FailedResult {
  if (failure.endedPart === 'deployment') return { kind: 'failed', failure }
  const urn = registrationUrnOf(ctx.input, goal)
  ctx.apply({ failedUrns: [urn] })
  return { kind: 'failed', failure: { ...failure, urn } }
}
