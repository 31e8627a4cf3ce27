/** A policy that a resource, or the stack, does not keep to. */
export interface PolicyEvent extends PolicyIdentity {
  readonly resourceUrn?: string
  readonly message: string
  readonly color: string
  readonly policyName: string
  readonly enforcementLevel: 'advisory' | 'mandatory'
  readonly severity?: string
}

/** A policy that changed the inputs of a resource; secrets are `[secret]`. */
export interface PolicyRemediationEvent extends PolicyIdentity {
  readonly resourceUrn?: string
  readonly color: string
  readonly policyName: string
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** Which policies of a pack held and which did not, after one call. */
export interface PolicySummaryEvent extends PolicyIdentity {
  readonly passed?: readonly string[]
  readonly failed?: readonly string[]
}

/** The pack that an event is about. */
export interface PolicyIdentity {
  readonly policyPackName: string
  readonly policyPackVersion: string
  readonly policyPackVersionTag: string
}

/** What policy packs tell; each an event of its own. Source: docs/spec/events.md#event-json. */
export type PolicyPayload =
  | { readonly policyLoadEvent: Record<string, never> }
  | { readonly policyEvent: PolicyEvent }
  | { readonly policyRemediationEvent: PolicyRemediationEvent }
  | { readonly policyAnalyzeSummaryEvent: PolicySummaryEvent & { readonly resourceUrn: string } }
  | { readonly policyRemediateSummaryEvent: PolicySummaryEvent & { readonly resourceUrn: string } }
  | { readonly policyAnalyzeStackSummaryEvent: PolicySummaryEvent }
