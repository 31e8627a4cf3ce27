import type { Analyzer } from '../../../providers/analyzers/analyzer.ts'
import { redactMap } from '../../../values/walk.ts'
import type { GeneratorContext } from '../context.ts'
import { decided, type Result, stopped } from '../stage.ts'
import { type PolicySubject, toAnalyzedResource } from './analyzed-resource.ts'
import { emitViolation, policyIdentityOf, policySummaryOf } from './policy-violations.ts'
import { requestPacks } from './request-packs.ts'

/**
 * Lets policy packs change the inputs of a registration one after another, and then judge it all at
 * once. A mandatory violation ends an update; a preview continues and fails. Source:
 * docs/spec/monitor.md#analyzer-service, docs/spec/step-generation.md#check-and-policies.
 */
export async function applyPolicies<C extends PolicySubject>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<Result<C>> {
  if (ctx.ports.analyzers.length === 0) return decided(candidate)
  const remediated = await remediate(ctx, candidate)
  if (remediated.kind === 'failed') return remediated
  const { value } = remediated
  const resource = toAnalyzedResource(ctx.input, value, value.compared)
  const { urn } = resource
  const known = [resource.properties]
  const analyzed = await requestPacks(ctx, { urn, what: 'run policy', known }, pack =>
    pack.analyze(resource),
  )
  if (analyzed.kind === 'failed') return analyzed
  let isMandatory = false
  for (const { pack, answer } of analyzed.value) {
    for (const violation of answer.violations)
      if (emitViolation(ctx.ports, { violation, urn, known: resource.properties }))
        isMandatory = true
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = policySummaryOf(pack, 'resource', { failed, ...answer })
    ctx.ports.emitter.emit({ policyAnalyzeSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  if (!isMandatory) return remediated
  // The violations were emitted as policy events.
  if (!ctx.input.preview) return stopped
  ctx.ports.noteFailure()
  return remediated
}

async function remediate<C extends PolicySubject>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<Result<C>> {
  let current = candidate
  for (const pack of ctx.ports.analyzers) {
    const next = await remediateWith(ctx, pack, current)
    if (next.kind === 'failed') return next
    current = next.value
  }
  return decided(current)
}

async function remediateWith<C extends PolicySubject>(
  ctx: GeneratorContext,
  pack: Analyzer,
  candidate: C,
): Promise<Result<C>> {
  const { urn } = candidate.claim
  let current = candidate
  const resource = toAnalyzedResource(ctx.input, current, current.compared)
  const requested = await requestPacks(
    { ...ctx, ports: { ...ctx.ports, analyzers: [pack] } },
    { urn, what: 'run remediation', known: [resource.properties] },
    () => pack.remediate(resource),
  )
  if (requested.kind === 'failed') return requested
  const { remediations = [], notApplicable = [] } = requested.value[0]?.answer ?? {}
  for (const { diagnostic, properties, ...name } of remediations) {
    if (diagnostic !== '') {
      const message = { ...name, message: diagnostic, urn, severity: '' } as const
      const violation = { ...message, enforcement: 'advisory' } as const
      emitViolation(ctx.ports, { violation, urn, known: resource.properties })
      continue
    }
    ctx.ports.emitter.emit({
      policyRemediationEvent: {
        resourceUrn: urn,
        color: 'raw',
        policyName: name.policy,
        ...policyIdentityOf(name),
        before: redactMap(current.compared),
        after: redactMap(properties),
      },
    })
    current = { ...current, compared: properties, next: { ...current.next, inputs: properties } }
  }
  const failed = remediations.map(({ policy }) => policy)
  const summary = policySummaryOf(pack, 'resource', { failed, notApplicable })
  ctx.ports.emitter.emit({ policyRemediateSummaryEvent: { resourceUrn: urn, ...summary } })
  return decided(current)
}
