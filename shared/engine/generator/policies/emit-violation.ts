import type { Urn } from '../../../names/urn.ts'
import type {
  Analysis,
  Analyzer,
  PolicyInfo,
  PolicyName,
  Violation,
} from '../../../providers/analyzers/analyzer.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { PolicyPackIdentity, PolicySummaryEvent } from '../../events/policy-events.ts'
import type { DecisionPorts } from '../context.ts'

/**
 * Emits a violation, unless its policy is disabled. Returns whether the violation is mandatory.
 * `properties`: their secrets are redacted in the message.
 */
export function emitViolation(
  { emitter }: Pick<DecisionPorts, 'emitter'>,
  input: { readonly violation: Violation; readonly urn: Urn; readonly properties: PropertyMap },
): boolean {
  const { violation, urn, properties } = input
  const { policy, message, enforcement, severity } = violation
  if (enforcement === 'disabled') return false
  // As in Pulumi, a violation of a policy with the level `remediate` counts as mandatory.
  const level = enforcement === 'advisory' ? 'advisory' : 'mandatory'
  emitter.emit({
    policyEvent: {
      resourceUrn: urn,
      message: `${emitter.redact(createRedactor(collectSecretTexts(properties))(message))}\n`,
      color: 'raw',
      policyName: policy,
      ...policyIdentityOf(violation),
      enforcementLevel: level,
      ...(severity === '' ? {} : { severity }),
    },
  })
  return level === 'mandatory'
}

/** Returns the identity of a policy pack, as events show it. */
export function policyIdentityOf({
  pack,
  version,
}: Pick<PolicyName, 'pack' | 'version'>): PolicyPackIdentity {
  return {
    policyPackName: pack,
    policyPackVersion: version,
    policyPackVersionTag: version,
  }
}

/**
 * Returns the summary event of one pack: the failed policies, and the policies of this kind that
 * passed.
 */
export function policySummaryOf(
  { info }: Analyzer,
  kind: PolicyInfo['kind'],
  analysis: Pick<Analysis, 'notApplicable'> & { readonly failedPolicies: readonly string[] },
): PolicySummaryEvent {
  const failedPolicies = [...new Set(analysis.failedPolicies)].sort()
  const passedPolicies = info.policies
    .filter(policy => policy.kind === kind || policy.kind === 'unknown')
    .filter(policy => policy.enforcement !== 'disabled')
    .map(policy => policy.name)
    .filter(name => !failedPolicies.includes(name) && !analysis.notApplicable.includes(name))
  return {
    ...policyIdentityOf({ pack: info.name, version: info.version }),
    ...(passedPolicies.length === 0 ? {} : { passed: [...new Set(passedPolicies)].sort() }),
    ...(failedPolicies.length === 0 ? {} : { failed: failedPolicies }),
  }
}
