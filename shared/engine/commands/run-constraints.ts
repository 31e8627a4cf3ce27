import type { BlobHash } from '../../records/ids.ts'
import { stackPartsOf } from '../../records/ids.ts'
import type { Autonaming } from '../../names/propose-name.ts'
import type { Analyzer, AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import { shortenPath } from '../../providers/analyzers/shorten-path.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { createUpdatePlanDraft } from '../update-plan/update-plan-draft.ts'
import { readUpdatePlan } from '../update-plan/update-plan-file-format.ts'
import { createUpdatePlanGuard, type UpdatePlanGuard } from '../update-plan/update-plan-guard.ts'
import type { UpdatePlanUse } from '../update-plan/update-plan-use.ts'
import type { UpdatePlan } from '../update-plan/update-plan.ts'
import type { DeployInput } from '../request.ts'

/** The update plan and the policy packs of a run. */
export interface RunConstraints {
  /** Loads the update plan that constrains the run, if there is one. Throws PLAN_INVALID. */
  readonly loadUpdatePlan: () => Promise<void>
  /** Starts the policy packs if the command is `up`. Throws POLICY_PACK_FAILED. */
  readonly startPolicyPacks: () => Promise<void>
  /** Returns the versions of the loaded policy packs, by their names in the summary. */
  readonly readPackVersions: () => Readonly<Record<string, string>>
  /** Returns the update plan of a preview. Undefined for a run without `draftsUpdatePlan`. */
  readonly readUpdatePlanDraft: () => UpdatePlan | undefined
}

/** The constraints that decisions use, with the request's rules for automatic names. */
interface LoadedConstraints {
  readonly autonaming: Autonaming | undefined
  readonly updatePlan: UpdatePlanUse
  readonly analyzers: readonly Analyzer[]
}

/**
 * Creates the constraints of a run. `readLoadedConstraints`: returns the constraints that are
 * already loaded.
 */
export function createRunConstraints(deps: {
  readonly request: DeployInput
  readonly emitter: StepEmitter
  readonly policyPacks: AnalyzerHost
  readonly readBlob: (hash: BlobHash) => Promise<Uint8Array>
}): RunConstraints & { readonly readLoadedConstraints: () => LoadedConstraints } {
  const { request, emitter } = deps
  const { command, policyPacks: requestedPacks = [], plan: updatePlanHash } = request.options
  const policyPacks = [...(request.attachedPolicyPacks ?? []), ...requestedPacks]
  const draft = request.draftsUpdatePlan === true ? createUpdatePlanDraft() : undefined
  let analyzers: readonly Analyzer[] = []
  let guard: UpdatePlanGuard | undefined
  const readStoredUpdatePlan = async (): Promise<string | undefined> =>
    updatePlanHash === undefined
      ? undefined
      : Buffer.from(await deps.readBlob(updatePlanHash)).toString('utf8')
  return {
    async loadUpdatePlan() {
      const text = request.updatePlan ?? (await readStoredUpdatePlan())
      if (text === undefined) return
      const { decrypt } = request.secrets.crypter
      guard = createUpdatePlanGuard(
        readUpdatePlan(text, { ...stackPartsOf(request.stack), decrypt }),
      )
    },
    async startPolicyPacks() {
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
    readUpdatePlanDraft: () => draft?.toPlan(),
    readLoadedConstraints: () => ({
      autonaming: request.autonaming,
      updatePlan: { guard, draft, isApproved: request.options.approval !== undefined },
      analyzers,
    }),
  }
}
