import { parseReference } from '../../../names/provider-reference.ts'
import { childUrnOf, nameOf, stackType, type Urn } from '../../../names/urn.ts'
import { messageOf } from '../../../errors/error.ts'
import type {
  AnalyzedProvider,
  AnalyzedResource,
  Analysis,
  Analyzer,
  PolicyInfo,
  PolicyName,
  Violation,
} from '../../../providers/analyzers/analyzer.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import { redactMap } from '../../../values/walk.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { PolicyIdentity, PolicySummaryEvent } from '../../events/policy-events.ts'
import type { Candidate } from '../registration/candidate.ts'
import { bail, Bail, type GeneratorContext } from '../context.ts'

/** What policy packs judge of a registration. */
type PolicySubject = Pick<Candidate, 'goal' | 'claim' | 'next' | 'compared'>

/**
 * The candidate as policy packs leave it: its inputs remediated in turn, then judged by all packs
 * at once. A mandatory violation ends an update; a preview goes on and fails. Source:
 * docs/spec/monitor.md#analyzer-service, docs/spec/step-generation.md#check-and-policies.
 */
export async function applyPolicies<C extends PolicySubject>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<C> {
  if (ctx.analyzers.length === 0) return candidate
  const remediated = await remediate(ctx, candidate)
  const resource = toAnalyzedResource(ctx, remediated, remediated.compared)
  const { urn } = resource
  const known = [resource.properties]
  const analyses = await requestPacks(ctx, { urn, what: 'run policy', known }, pack =>
    pack.analyze(resource),
  )
  let isMandatory = false
  for (const { pack, answer } of analyses) {
    for (const violation of answer.violations)
      if (emitViolation(ctx, { violation, urn, known: resource.properties })) isMandatory = true
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'resource', { failed, ...answer })
    ctx.emitter.emit({ policyAnalyzeSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  if (!isMandatory) return remediated
  ctx.noteFailure()
  if (ctx.preview) return remediated
  ctx.abort()
  throw new Bail()
}

async function remediate<C extends PolicySubject>(ctx: GeneratorContext, candidate: C): Promise<C> {
  const { urn } = candidate.claim
  let current = candidate
  for (const pack of ctx.analyzers) {
    const resource = toAnalyzedResource(ctx, current, current.compared)
    const [analysis] = await requestPacks(
      { ...ctx, analyzers: [pack] },
      { urn, what: 'run remediation', known: [resource.properties] },
      () => pack.remediate(resource),
    )
    const { remediations = [], notApplicable = [] } = analysis?.answer ?? {}
    for (const { diagnostic, properties, ...name } of remediations) {
      if (diagnostic !== '') {
        const violation = { ...name, message: diagnostic, urn, severity: '' } as const
        emitViolation(ctx, {
          violation: { ...violation, enforcement: 'advisory' },
          urn,
          known: resource.properties,
        })
        continue
      }
      ctx.emitter.emit({
        policyRemediationEvent: {
          resourceUrn: urn,
          color: 'raw',
          policyName: name.policy,
          ...identityOf(name),
          before: redactMap(current.compared),
          after: redactMap(properties),
        },
      })
      current = { ...current, compared: properties, next: { ...current.next, inputs: properties } }
    }
    const failed = remediations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'resource', { failed, notApplicable })
    ctx.emitter.emit({ policyRemediateSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  return current
}

/**
 * Lets all packs judge the whole stack, with what its resources are now; false when that was to be
 * an error. Source: docs/spec/monitor.md#analyzer-service.
 */
export async function isStackAllowed(
  ctx: GeneratorContext,
  states: readonly ResourceState[],
): Promise<boolean> {
  if (ctx.analyzers.length === 0) return true
  const byUrn = new Map(states.map(state => [state.urn, state]))
  const providerIn = (reference: string) => providerOf(ctx, reference, byUrn)
  const resources = states.map(state => ({
    ...resourceOf(ctx, { ...state, properties: state.outputs }, providerIn),
    dependencies: state.dependencies,
    propertyDependencies: state.propertyDependencies,
  }))
  const known = states.map(({ outputs }) => outputs)
  const analyses = await requestPacks(ctx, { what: 'run stack policy', known }, pack =>
    pack.analyzeStack(resources),
  )
  let isAllowed = true
  for (const { pack, answer } of analyses) {
    for (const violation of answer.violations) {
      const violating = byUrn.get(violation.urn as Urn)
      const urn = violating?.urn ?? rootUrnOf(ctx)
      const shown = violating?.outputs ?? emptyMap
      if (emitViolation(ctx, { violation, urn, known: shown })) isAllowed = false
    }
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'stack', { failed, ...answer })
    ctx.emitter.emit({ policyAnalyzeStackSummaryEvent: summary })
  }
  return isAllowed
}

/** What this run made or kept; what was only read is nobody's to judge. */
export function listCurrentStates({ sets }: GeneratorContext): readonly ResourceState[] {
  const states = [...sets.current.values()]
    .filter(({ op, skipReason }) => !op.startsWith('read') && skipReason !== 'not made')
    .map(({ state }) => state)
  // What is no target is known under its old name, too.
  return [...new Set([...states, ...sets.views.values()])]
}

/** Asks all packs at once. One that fails, or throws, ends the deployment with its sentence. */
async function requestPacks<T>(
  ctx: GeneratorContext,
  request: {
    readonly urn?: Urn
    readonly what: string
    /** What the packs are told, whose secrets they may repeat. */
    readonly known: readonly PropertyMap[]
  },
  call: (pack: Analyzer) => Promise<T>,
): Promise<readonly { readonly pack: Analyzer; readonly answer: T }[]> {
  const asking = Promise.all(
    ctx.analyzers.map(async pack => {
      try {
        return { pack, answer: await call(pack) }
      } catch (thrown) {
        if (ctx.isAborted()) throw new Bail()
        const why = createRedactor(collectSecretTexts(...request.known))(messageOf(thrown))
        const message = `failed to ${request.what} of ${pack.info.name}: ${why}`
        return bail(ctx, ctx.emitter.scrub(message), request.urn)
      }
    }),
  )
  asking.catch(() => undefined)
  const answers = await Promise.race([asking, ctx.aborted])
  if (answers === undefined || ctx.isAborted()) throw new Bail()
  return answers
}

/** Tells a violation; whether it is one that must not be. */
function emitViolation(
  ctx: GeneratorContext,
  input: { readonly violation: Violation; readonly urn: Urn; readonly known: PropertyMap },
): boolean {
  const { violation, urn, known } = input
  const { policy, message, enforcement, severity } = violation
  if (enforcement === 'disabled') return false
  // A remediation that left it as it is cannot be had: then it must not be.
  const level = enforcement === 'advisory' ? 'advisory' : 'mandatory'
  ctx.emitter.emit({
    policyEvent: {
      resourceUrn: urn,
      message: `${ctx.emitter.scrub(createRedactor(collectSecretTexts(known))(message))}\n`,
      color: 'raw',
      policyName: policy,
      ...identityOf(violation),
      enforcementLevel: level,
      ...(severity === '' ? {} : { severity }),
    },
  })
  return level === 'mandatory'
}

function rootUrnOf(ctx: GeneratorContext): Urn {
  return childUrnOf(ctx, undefined, { type: stackType, name: `${ctx.project}-${ctx.stack}` })
}

function identityOf({ pack, version }: Pick<PolicyName, 'pack' | 'version'>): PolicyIdentity {
  return {
    policyPackName: pack,
    policyPackVersion: version,
    policyPackVersionTag: version,
  }
}

/** Which policies of a kind held: all that are on, concern it, and were not said to fail. */
function summaryOf(
  { info }: Analyzer,
  kind: PolicyInfo['kind'],
  analysis: Pick<Analysis, 'notApplicable'> & { readonly failed: readonly string[] },
): PolicySummaryEvent {
  const failed = [...new Set(analysis.failed)].sort()
  const passed = info.policies
    .filter(policy => policy.kind === kind || policy.kind === 'unknown')
    .filter(policy => policy.enforcement !== 'disabled')
    .map(policy => policy.name)
    .filter(name => !failed.includes(name) && !analysis.notApplicable.includes(name))
  return {
    ...identityOf({ pack: info.name, version: info.version }),
    ...(passed.length === 0 ? {} : { passed: [...new Set(passed)].sort() }),
    ...(failed.length === 0 ? {} : { failed }),
  }
}

function toAnalyzedResource(
  ctx: GeneratorContext,
  { next, goal }: PolicySubject,
  properties: PropertyMap,
): AnalyzedResource {
  const state = { ...next, ignoreChanges: goal.ignoreChanges, properties }
  return resourceOf(ctx, state, reference => providerOf(ctx, reference, new Map()))
}

function resourceOf(
  ctx: GeneratorContext,
  state: ResourceState & { readonly properties: PropertyMap },
  providerIn: (reference: string) => AnalyzedProvider | undefined,
): AnalyzedResource {
  const { urn, type, protect, ignoreChanges, additionalSecretOutputs, aliases } = state
  return {
    urn,
    type,
    name: nameOf(urn),
    properties: state.properties,
    options: {
      ...{ protect, ignoreChanges, additionalSecretOutputs, aliases },
      deleteBeforeReplace: ctx.sets.goals.get(urn)?.deleteBeforeReplace,
      customTimeouts: state.customTimeouts,
      parent: state.parent,
    },
    provider: providerIn(state.provider),
  }
}

function providerOf(
  ctx: GeneratorContext,
  reference: string,
  among: ReadonlyMap<Urn, ResourceState>,
): AnalyzedProvider | undefined {
  if (reference === '') return undefined
  const { urn, id } = parseReference(reference)
  const state =
    among.get(urn) ??
    ctx.sets.current.get(urn)?.state ??
    findProviderInBase(ctx.base.snapshot, urn, id)
  if (state === undefined) return undefined
  return { urn, type: state.type, name: nameOf(urn), properties: state.inputs }
}
