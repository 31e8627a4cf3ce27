import type { BlobHash } from '../../records/ids.ts'
import { stackPartsOf } from '../../records/ids.ts'
import type { Autonaming } from '../../names/automatic-name.ts'
import type { Analyzer, AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import { shortenPath } from '../../providers/analyzers/shorten-path.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { createPlanDraft } from '../plan/plan-draft.ts'
import { readPlan } from '../plan/plan-file.ts'
import { createPlanGuard, type PlanGuard } from '../plan/plan-guard.ts'
import type { UpdatePlanUse } from '../plan/update-plan-use.ts'
import type { UpdatePlan } from '../plan/update-plan.ts'
import type { DeployRequest } from '../request.ts'

/** The constraints of a run: an update plan, policy packs and rules for names. */
export interface RunConstraints {
  /** Opens the plan that constrains the deployment, if there is one. Throws PLAN_INVALID. */
  readonly openPlan: () => Promise<void>
  /** Starts the policy packs that check an update. Throws POLICY_PACK_FAILED. */
  readonly openPolicies: () => Promise<void>
  /** Returns the versions of the loaded policy packs, by their names in the summary. */
  readonly readPackVersions: () => Readonly<Record<string, string>>
  /** Returns the update plan that a preview drafted. Undefined if no draft was requested. */
  readonly readDraftedPlan: () => UpdatePlan | undefined
}

/** The constraints that decisions use. */
interface OpenConstraints {
  readonly autonaming: Autonaming | undefined
  readonly updatePlan: UpdatePlanUse
  readonly analyzers: readonly Analyzer[]
}

/**
 * Creates the constraints of a run. `readOpenConstraints`: returns the constraints that are already
 * open.
 */
export function createRunConstraints(deps: {
  readonly request: DeployRequest
  readonly emitter: StepEmitter
  readonly policyPacks: AnalyzerHost
  readonly readBlob: (hash: BlobHash) => Promise<Uint8Array>
}): RunConstraints & { readonly readOpenConstraints: () => OpenConstraints } {
  const { request, emitter } = deps
  const { command, policyPacks = [], plan } = request.options
  const draft = request.draftsPlan === true ? createPlanDraft() : undefined
  let analyzers: readonly Analyzer[] = []
  let guard: PlanGuard | undefined
  const readStoredPlan = async (): Promise<string | undefined> =>
    plan === undefined ? undefined : Buffer.from(await deps.readBlob(plan)).toString('utf8')
  return {
    async openPlan() {
      const text = request.plan ?? (await readStoredPlan())
      if (text === undefined) return
      const { decrypt } = request.secrets.crypter
      guard = createPlanGuard(readPlan(text, { ...stackPartsOf(request.stack), decrypt }))
    },
    async openPolicies() {
      // Only `up` and its preview check resources with policies.
      if (command !== 'up' || policyPacks.length === 0) return
      for (const _pack of policyPacks) emitter.emit({ policyLoadEvent: {} })
      analyzers = await deps.policyPacks.load(policyPacks)
    },
    readPackVersions: () =>
      Object.fromEntries(
        analyzers.map(({ info, path }) => [
          `${info.name}|local|${shortenPath(path)}`,
          info.version,
        ]),
      ),
    readDraftedPlan: () => draft?.toPlan(),
    readOpenConstraints: () => ({
      autonaming: request.autonaming,
      updatePlan: { guard, draft },
      analyzers,
    }),
  }
}
