/**
 * A violation of a policy by a resource or the stack. `color`: how color directives in `message`,
 * such as `<{%reset%}>`, are shown. Events of this engine have `raw`, which keeps them.
 */
export interface PolicyEvent extends PolicyPackIdentity {
  readonly resourceUrn?: string
  readonly message: string
  readonly color: string
  readonly policyName: string
  readonly enforcementLevel: 'advisory' | 'mandatory'
  readonly severity?: string
}

/**
 * A change of a resource's inputs by a policy. Secrets are shown as `[secret]`. `color`: as in
 * `PolicyEvent`.
 */
export interface PolicyRemediationEvent extends PolicyPackIdentity {
  readonly resourceUrn?: string
  readonly color: string
  readonly policyName: string
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** The passed and the failed policies of a pack, in one call of its analyzer. */
export interface PolicySummaryEvent extends PolicyPackIdentity {
  readonly passed?: readonly string[]
  readonly failed?: readonly string[]
}

/** The policy pack of an event. */
export interface PolicyPackIdentity {
  readonly policyPackName: string
  readonly policyPackVersion: string
  readonly policyPackVersionTag: string
}

/** Events of policy packs. Source: docs/spec/events.md#event-json. */
export type PolicyPayload =
  | { readonly policyLoadEvent: Record<string, never> }
  | { readonly policyEvent: PolicyEvent }
  | { readonly policyRemediationEvent: PolicyRemediationEvent }
  | { readonly policyAnalyzeSummaryEvent: PolicySummaryEvent & { readonly resourceUrn: string } }
  | { readonly policyRemediateSummaryEvent: PolicySummaryEvent & { readonly resourceUrn: string } }
  | { readonly policyAnalyzeStackSummaryEvent: PolicySummaryEvent }
