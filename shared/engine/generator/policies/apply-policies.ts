import type { Analyzer } from '../../../providers/analyzers/analyzer.ts'
import { redactMap } from '../../../values/walk.ts'
import type { GeneratorContext } from '../context.ts'
import { decided, type Result, stoppedResult } from '../stage.ts'
import { type PolicySubject, toAnalyzedResource } from './analyzed-resource.ts'
import { emitViolation, policyIdentityOf, policySummaryOf } from './policy-violations.ts'
import { requestPacks } from './request-packs.ts'

/**
 * Lets policy packs change the inputs of a registration, one pack after another. Then all packs
 * check the result concurrently. A mandatory violation ends an update. A preview continues and
 * fails. Source: docs/spec/monitor.md#analyzer-service,
 * docs/spec/step-generation.md#check-and-policies.
 */
export async function applyPolicies<C extends PolicySubject>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<Result<C>> {
  if (ctx.ports.analyzers.length === 0) return decided(candidate)
  const remediationResult = await remediate(ctx, candidate)
  if (remediationResult.kind === 'failed') return remediationResult
  const { value: remediatedCandidate } = remediationResult
  const resource = toAnalyzedResource(ctx.input, remediatedCandidate, remediatedCandidate.compared)
  const { urn } = resource
  const redactedMaps = [resource.properties]
  const analysisResult = await requestPacks(ctx, { urn, task: 'run policy', redactedMaps }, pack =>
    pack.analyze(resource),
  )
  if (analysisResult.kind === 'failed') return analysisResult
  let isMandatory = false
  for (const { pack, answer } of analysisResult.value) {
    for (const violation of answer.violations)
      if (emitViolation(ctx.ports, { violation, urn, properties: resource.properties }))
        isMandatory = true
    const failedPolicies = answer.violations.map(({ policy }) => policy)
    const summary = policySummaryOf(pack, 'resource', { failedPolicies, ...answer })
    ctx.ports.emitter.emit({ policyAnalyzeSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  if (!isMandatory) return remediationResult
  // The violations were emitted as policy events.
  if (!ctx.input.isPreview) return stoppedResult
  ctx.ports.noteFailure()
  return remediationResult
}

async function remediate<C extends PolicySubject>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<Result<C>> {
  let currentCandidate = candidate
  for (const pack of ctx.ports.analyzers) {
    const nextResult = await remediateWith(ctx, pack, currentCandidate)
    if (nextResult.kind === 'failed') return nextResult
    currentCandidate = nextResult.value
  }
  return decided(currentCandidate)
}

async function remediateWith<C extends PolicySubject>(
  ctx: GeneratorContext,
  pack: Analyzer,
  candidate: C,
): Promise<Result<C>> {
  const { urn } = candidate.claim
  let currentCandidate = candidate
  const resource = toAnalyzedResource(ctx.input, currentCandidate, currentCandidate.compared)
  const packResult = await requestPacks(
    { ...ctx, ports: { ...ctx.ports, analyzers: [pack] } },
    { urn, task: 'run remediation', redactedMaps: [resource.properties] },
    () => pack.remediate(resource),
  )
  if (packResult.kind === 'failed') return packResult
  const { remediations = [], notApplicable = [] } = packResult.value[0]?.answer ?? {}
  for (const { diagnostic, properties, ...name } of remediations) {
    if (diagnostic !== '') {
      const message = { ...name, message: diagnostic, urn, severity: '' } as const
      const violation = { ...message, enforcement: 'advisory' } as const
      emitViolation(ctx.ports, { violation, urn, properties: resource.properties })
      continue
    }
    ctx.ports.emitter.emit({
      policyRemediationEvent: {
        resourceUrn: urn,
        color: 'raw',
        policyName: name.policy,
        ...policyIdentityOf(name),
        before: redactMap(currentCandidate.compared),
        after: redactMap(properties),
      },
    })
    currentCandidate = {
      ...currentCandidate,
      compared: properties,
      next: { ...currentCandidate.next, inputs: properties },
    }
  }
  const failedPolicies = remediations.map(({ policy }) => policy)
  const summary = policySummaryOf(pack, 'resource', { failedPolicies, notApplicable })
  ctx.ports.emitter.emit({ policyRemediateSummaryEvent: { resourceUrn: urn, ...summary } })
  return decided(currentCandidate)
}
