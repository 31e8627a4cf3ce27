import type { Step } from '../step.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../step-end.ts'
import { performStep } from './perform-step.ts'
import { type PerformDeps, toReadRequest } from './provider-call.ts'

/**
 * Performs a step again after an attempt that may have called the provider. If a delete fails now
 * but the resource no longer exists, the delete counts as succeeded. An update fails without an
 * Update call if the provider confirms that the resource is gone. Source:
 * docs/architecture.md#resume.
 */
export async function performAgain(step: Step, deps: PerformDeps): Promise<StepEnd> {
  if (step.op === 'update' && (await isGone(step, deps)))
    return failureEndOf({
      message: `'${step.urn}' no longer exists. Run \`antichain refresh\`, and then \`antichain up\` to create it again.`,
      // `ok`: this attempt had no effect, because it sent no Update.
      status: 'ok',
    })
  const end = await performStep(step, { preview: false }, deps)
  // Only a refresh, a delete or another removal from the state has no next state.
  const isDelete = step.next === undefined && step.op !== 'refresh'
  if (end.verdict !== 'failed' || !isDelete || step.skipCall) return end
  return (await isGone(step, deps)) ? successEndOf(undefined) : end
}

/**
 * Reports whether the provider confirms that the resource does not exist. A failed read counts as
 * unconfirmed.
 */
async function isGone(step: Step, deps: PerformDeps): Promise<boolean> {
  const old = step.old?.state
  if (old === undefined) return false
  try {
    // `extensionRef` names the extension of the package that defines the type of the resource.
    const provider = await deps.provider(old.provider, old.extensionRef)
    const readResult = await provider.read(toReadRequest(old))
    return readResult.id === '' || readResult.outputs === undefined
  } catch {
    return false
  }
}
