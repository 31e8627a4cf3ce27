import type { Analyzer } from '../../../providers/analyzers/analyzer.ts'
import { redactMap } from '../../../values/special-values.ts'
import type { GeneratorContext } from '../context.ts'
import { toDecided, type Result, stoppedResult } from '../stage.ts'
import { type AnalyzedRegistration, toAnalyzedResource } from './analyzed-resource.ts'
import { emitViolation, policyIdentityOf, policySummaryOf } from './emit-violation.ts'
import { callPolicyPacks } from './call-policy-packs.ts'

/**
 * Lets policy packs change the inputs of a registration, one pack after another. Then all packs
 * check the result concurrently. A mandatory violation ends a deployment. A preview continues, and
 * fails at its end. Source: docs/spec/monitor.md#analyzer-service,
 * docs/spec/step-generation.md#check-and-policies.
 */
export async function applyPolicies<C extends AnalyzedRegistration>(
  ctx: GeneratorContext,
  registration: C,
): Promise<Result<C>> {
  if (ctx.ports.analyzers.length === 0) return toDecided(registration)
  const remediationResult = await remediate(ctx, registration)
  if (remediationResult.kind === 'failed') return remediationResult
  const { value: remediatedRegistration } = remediationResult
  const resource = toAnalyzedResource(
    ctx.input,
    remediatedRegistration,
    remediatedRegistration.comparedInputs,
  )
  const { urn } = resource
  const requestProperties = [resource.properties]
  const analysisResult = await callPolicyPacks(
    ctx,
    { urn, task: 'run policy', requestProperties },
    pack => pack.analyze(resource),
  )
  if (analysisResult.kind === 'failed') return analysisResult
  let hasMandatoryViolation = false
  for (const { pack, answer } of analysisResult.value) {
    for (const violation of answer.violations)
      if (emitViolation(ctx.ports, { violation, urn, properties: resource.properties }))
        hasMandatoryViolation = true
    const failedPolicies = answer.violations.map(({ policy }) => policy)
    const summary = policySummaryOf(pack, 'resource', { failedPolicies, ...answer })
    ctx.ports.emitter.emit({ policyAnalyzeSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  if (!hasMandatoryViolation) return remediationResult
  // The violations were emitted as policy events.
  if (!ctx.input.isPreview) return stoppedResult
  ctx.ports.markFailed()
  return remediationResult
}

async function remediate<C extends AnalyzedRegistration>(
  ctx: GeneratorContext,
  registration: C,
): Promise<Result<C>> {
  let currentRegistration = registration
  for (const pack of ctx.ports.analyzers) {
    const nextResult = await remediateWithPack(ctx, pack, currentRegistration)
    if (nextResult.kind === 'failed') return nextResult
    currentRegistration = nextResult.value
  }
  return toDecided(currentRegistration)
}

async function remediateWithPack<C extends AnalyzedRegistration>(
  ctx: GeneratorContext,
  pack: Analyzer,
  registration: C,
): Promise<Result<C>> {
  const { urn } = registration.assignment
  let currentRegistration = registration
  const resource = toAnalyzedResource(
    ctx.input,
    currentRegistration,
    currentRegistration.comparedInputs,
  )
  const packResult = await callPolicyPacks(
    { ...ctx, ports: { ...ctx.ports, analyzers: [pack] } },
    { urn, task: 'run remediation', requestProperties: [resource.properties] },
    () => pack.remediate(resource),
  )
  if (packResult.kind === 'failed') return packResult
  const { remediations = [], notApplicable = [] } = packResult.value[0]?.answer ?? {}
  for (const { diagnostic, properties, ...policyName } of remediations) {
    if (diagnostic !== '') {
      const violation = {
        ...policyName,
        message: diagnostic,
        urn,
        severity: '',
        enforcement: 'advisory',
      } as const
      emitViolation(ctx.ports, { violation, urn, properties: resource.properties })
      continue
    }
    ctx.ports.emitter.emit({
      policyRemediationEvent: {
        resourceUrn: urn,
        color: 'raw',
        policyName: policyName.policy,
        ...policyIdentityOf(policyName),
        before: redactMap(currentRegistration.comparedInputs),
        after: redactMap(properties),
      },
    })
    currentRegistration = {
      ...currentRegistration,
      comparedInputs: properties,
      next: { ...currentRegistration.next, inputs: properties },
    }
  }
  // The event lists every policy with a remediation as failed, even if the remediation succeeded.
  const failedPolicies = remediations.map(({ policy }) => policy)
  const summary = policySummaryOf(pack, 'resource', { failedPolicies, notApplicable })
  ctx.ports.emitter.emit({ policyRemediateSummaryEvent: { resourceUrn: urn, ...summary } })
  return toDecided(currentRegistration)
}
