import type { BlobHash } from '../../records/ids.ts'
import { stackPartsOf } from '../../records/ids.ts'
import type { Analyzer, AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import { shortPath } from '../../providers/analyzers/short-path.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { createPlanDraft } from '../plan/plan-draft.ts'
import { readPlan } from '../plan/plan-file.ts'
import { createPlanGuard, type PlanGuard } from '../plan/plan-guard.ts'
import type { Planning } from '../plan/planning.ts'
import type { UpdatePlan } from '../plan/update-plan.ts'
import type { DeployRequest } from '../request.ts'

/** What a run is held to: an update plan and policy packs. */
export interface HeldBy {
  /** Opens the plan that the deployment is held to, if there is one. Throws PLAN_INVALID. */
  readonly openPlan: () => Promise<void>
  /** Starts the policy packs that an update is judged by. Throws POLICY_PACK_FAILED. */
  readonly openPolicies: () => Promise<void>
  /** The packs that judge, as the summary names them: name and place → version. */
  readonly packVersions: () => Readonly<Record<string, string>>
  /** The plan that a preview drew, once it has ended. */
  readonly drawnPlan: () => UpdatePlan | undefined
}

/** What of it decisions are made with. */
interface HeldNow {
  readonly planning: Planning
  readonly analyzers: readonly Analyzer[]
}

/** Makes what a run is held to; `now` is what was opened so far. */
export function createHeldBy(deps: {
  readonly request: DeployRequest
  readonly emitter: StepEmitter
  readonly policyPacks: AnalyzerHost
  readonly readBlob: (hash: BlobHash) => Promise<Uint8Array>
}): HeldBy & { readonly now: () => HeldNow } {
  const { request, emitter } = deps
  const { command, policyPacks = [], plan } = request.options
  const draft = request.drawsPlan === true ? createPlanDraft() : undefined
  let analyzers: readonly Analyzer[] = []
  let guard: PlanGuard | undefined
  const keptPlan = async (): Promise<string | undefined> =>
    plan === undefined ? undefined : Buffer.from(await deps.readBlob(plan)).toString('utf8')
  return {
    async openPlan() {
      const text = request.plan ?? (await keptPlan())
      if (text === undefined) return
      const { decrypt } = request.secrets.crypter
      guard = createPlanGuard(readPlan(text, { ...stackPartsOf(request.stack), decrypt }))
    },
    async openPolicies() {
      // Refresh and import run no policies, and nothing is registered by a destroy.
      if (command !== 'up' || policyPacks.length === 0) return
      for (const _pack of policyPacks) emitter.emit({ policyLoadEvent: {} })
      analyzers = await deps.policyPacks.load(policyPacks)
    },
    packVersions: () =>
      Object.fromEntries(
        analyzers.map(({ info, path }) => [`${info.name}|local|${shortPath(path)}`, info.version]),
      ),
    drawnPlan: () => draft?.plan(),
    now: () => ({ planning: { guard, draft }, analyzers }),
  }
}
