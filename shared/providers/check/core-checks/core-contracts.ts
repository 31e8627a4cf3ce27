import type { TypeContext } from '../check-context.ts'
import {
  type Contract,
  type ContractInfo,
  type ContractOutcome,
  fail,
  passed,
  PreconditionError,
} from '../contract.ts'
import {
  findApplyTypeFlaws,
  findInconsistentResults,
  findLegacyFlaws,
  findPresenceFlaws,
  findUnknownResults,
  findWriteOnlyResults,
} from './apply-checks.ts'
import {
  findDeferrals,
  findDestroyFlaws,
  findInvalidPlans,
  findPlannedWriteOnlyValues,
  findPlanTypeFlaws,
  findReplaceFlaws,
} from './plan-checks.ts'
import type { CoreCheckSubject } from './recorded-calls.ts'
import { findStateFlaws, findUpgradeFlaws } from './state-checks.ts'

/** Finds the violations of one rule in recorded calls. */
type CoreCheck = (subject: CoreCheckSubject) => readonly string[]

interface CoreRule extends Pick<ContractInfo, 'id' | 'title' | 'source' | 'remedy'> {
  readonly severity?: ContractInfo['severity']
  /**
   * The kind of calls that the rule concerns. Without a recorded call of this kind, the rule is
   * skipped.
   */
  readonly calls: keyof CoreCheckSubject['calls']
  readonly find: CoreCheck
}

const rules: readonly CoreRule[] = [
  {
    id: 'core-plan-type',
    title: 'planned states have the type of the schema',
    source: 'PlanResourceChange',
    remedy: 'Encode planned states with the schema of the type.',
    calls: 'plans',
    find: findPlanTypeFlaws,
  },
  {
    id: 'core-plan-valid',
    title: 'plans agree with the configuration',
    source: 'PlanResourceChange',
    remedy: 'Plan the configured value of each property that is not computed.',
    calls: 'plans',
    find: findInvalidPlans,
  },
  {
    id: 'core-plan-write-only',
    title: 'write-only attributes are null in planned states',
    source: 'PlanResourceChange',
    remedy: 'Set write-only attributes to null in each planned state.',
    calls: 'plans',
    find: findPlannedWriteOnlyValues,
  },
  {
    id: 'core-requires-replace',
    title: 'the paths that require a replacement exist and change',
    source: 'PlanResourceChange',
    remedy:
      'Return only paths in `requires_replace` whose planned value differs from the prior one.',
    calls: 'plans',
    find: findReplaceFlaws,
  },
  {
    id: 'core-plan-destroy',
    title: 'the planned state of a deletion is null',
    source: 'PlanResourceChange',
    remedy: 'Return null as the planned state when the proposed state is null.',
    calls: 'plans',
    find: findDestroyFlaws,
  },
  {
    id: 'core-deferral',
    title: 'nothing is deferred without the permission of the client',
    source: 'PlanResourceChange, ReadResource',
    remedy: 'Defer only if `deferral_allowed` is set in the capabilities of the client.',
    calls: 'plans',
    find: findDeferrals,
  },
  {
    id: 'core-apply-type',
    title: 'new states have the type of the schema',
    source: 'ApplyResourceChange',
    remedy: 'Encode new states with the schema of the type.',
    calls: 'applies',
    find: findApplyTypeFlaws,
  },
  {
    id: 'core-apply-known',
    title: 'new states have no unknown values',
    source: 'ApplyResourceChange',
    remedy: 'Set each computed attribute when the change is applied, to null if it has no value.',
    calls: 'applies',
    find: findUnknownResults,
  },
  {
    id: 'core-apply-present',
    title: 'an object exists after its creation or update, and not after its deletion',
    source: 'ApplyResourceChange',
    remedy: 'Return the new state of the object, null after a deletion, or an error.',
    calls: 'applies',
    find: findPresenceFlaws,
  },
  {
    id: 'core-apply-consistent',
    title: 'new states agree with their plans',
    source: 'ApplyResourceChange',
    remedy: 'Return the planned values. Plan a value as unknown if it may still change.',
    calls: 'applies',
    find: findInconsistentResults,
  },
  {
    id: 'core-apply-write-only',
    title: 'write-only attributes are null in new states',
    source: 'ApplyResourceChange',
    remedy: 'Set write-only attributes to null in each new state.',
    calls: 'applies',
    find: findWriteOnlyResults,
  },
  {
    id: 'core-state-type',
    title: 'read and upgraded states have the type of the schema, without write-only values',
    source: 'ReadResource, UpgradeResourceState',
    remedy: 'Encode states with the schema of the type, and set write-only attributes to null.',
    calls: 'upgrades',
    find: findStateFlaws,
  },
  {
    id: 'core-upgrade-same',
    title: 'the upgrade of a state of the current version changes nothing',
    source: 'UpgradeResourceState',
    remedy: 'Return a state of the current version as it is.',
    calls: 'upgrades',
    find: findUpgradeFlaws,
  },
  {
    id: 'core-legacy',
    title: 'plans and new states also keep the rules from which the legacy type system is exempt',
    source: 'PlanResourceChange, ApplyResourceChange',
    severity: 'warning',
    remedy:
      'Terraform tolerates these contradictions for old SDKs. Port the resource to a newer SDK.',
    calls: 'plans',
    find: findLegacyFlaws,
  },
]

/** The contract that makes the first call of each kind. */
const callingContracts: Readonly<Record<keyof CoreCheckSubject['calls'], string>> = {
  plans: 'preview-create',
  applies: 'create',
  reads: 'read',
  upgrades: 'settled-after-create',
}

/** Maximum number of violations that a report names for one rule. */
const reportedFlawsMax = 3

/** The checks that Terraform's core makes on responses of a provider, over all recorded calls. */
export const terraformCoreContracts: readonly Contract<TypeContext>[] = rules.map(rule => ({
  id: rule.id,
  title: rule.title,
  source: rule.source,
  severity: rule.severity ?? 'error',
  protocols: ['terraform'],
  remedy: rule.remedy,
  run: context => checkRule(rule, context),
}))

function checkRule(rule: CoreRule, context: TypeContext): ContractOutcome {
  const subject = context.getOpenedProvider().getCoreCheckSubject?.(context.type.token)
  if (subject === undefined || subject.calls[rule.calls].length === 0)
    throw new PreconditionError(callingContracts[rule.calls])
  const flaws = [...new Set(rule.find(subject))]
  if (flaws.length === 0) return passed
  const unlistedCount = flaws.length - reportedFlawsMax
  const listed = flaws.slice(0, reportedFlawsMax).join('; ')
  return fail(unlistedCount > 0 ? `${listed}; and ${unlistedCount} more` : listed)
}
