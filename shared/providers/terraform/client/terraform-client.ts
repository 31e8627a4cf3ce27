import type { ProtocolMajor } from './handshake.ts'
import type { FunctionMessage, IdentitySchemaMessage, SchemaMessage } from './schema-messages.ts'

/** An encoded value for a provider. Null is encoded as the byte 0xc0. */
export interface MsgpackValue {
  readonly msgpack: Uint8Array
}

/** An encoded value from a provider. Undefined stands for null. */
export type ReceivedValue = MsgpackValue | { readonly json: Uint8Array } | undefined

/** A stored value for an upgrade: JSON, or the flat map of Terraform before 0.12. */
export type StoredValue =
  | { readonly json: Uint8Array }
  | { readonly flatmap: ReadonlyMap<string, string> }

/** A step of a path from a provider. The protocol has no step into a set. */
export type AttributePathStep =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }

/** A problem that a response reports. The call itself does not throw for it. */
export interface ProviderDiagnostic {
  readonly severity: 'error' | 'warning'
  readonly summary: string
  readonly detail: string
  /** The place in the configuration; empty without one. */
  readonly path: readonly AttributePathStep[]
}

/** The diagnostics that almost every response has. */
export interface DiagnosedResponse {
  readonly diagnostics: readonly ProviderDiagnostic[]
}

/**
 * The reason why a provider defers a request. A provider may defer only if the client allows
 * deferrals.
 */
export type DeferralReason =
  | 'unknown'
  | 'resourceConfigUnknown'
  | 'providerConfigUnknown'
  | 'absentPrerequisite'

/** The response to a request that a provider may defer. */
export interface DeferrableResponse extends DiagnosedResponse {
  readonly deferralReason: DeferralReason | undefined
}

/** A request with the configuration of a resource, a data source or another type. */
export interface ConfigRequest {
  readonly typeName: string
  readonly config: MsgpackValue
}

/** The schemas of a provider, by type name. */
export interface ProviderSchemaResponse extends DiagnosedResponse {
  readonly provider: SchemaMessage | undefined
  readonly providerMeta: SchemaMessage | undefined
  readonly resources: ReadonlyMap<string, SchemaMessage>
  readonly dataSources: ReadonlyMap<string, SchemaMessage>
  readonly ephemeralResources: ReadonlyMap<string, SchemaMessage>
  readonly listResources: ReadonlyMap<string, SchemaMessage>
  readonly actions: ReadonlyMap<string, SchemaMessage>
  readonly functions: ReadonlyMap<string, FunctionMessage>
  readonly capabilities: {
    readonly planDestroy: boolean
    readonly getProviderSchemaOptional: boolean
    readonly generateResourceConfig: boolean
  }
}

/** The request to upgrade a stored state or identity from a version of its schema. */
export interface UpgradeRequest {
  readonly typeName: string
  readonly version: number
  readonly stored: StoredValue
}

/** The request to read a resource. */
export interface ReadResourceRequest {
  readonly typeName: string
  readonly currentState: MsgpackValue
  readonly private: Uint8Array
  readonly currentIdentity?: MsgpackValue | undefined
  readonly providerMeta?: MsgpackValue | undefined
}

/** The request to plan a change. */
export interface PlanRequest {
  readonly typeName: string
  readonly priorState: MsgpackValue
  readonly proposedNewState: MsgpackValue
  readonly config: MsgpackValue
  readonly priorPrivate: Uint8Array
  readonly priorIdentity?: MsgpackValue | undefined
  readonly providerMeta?: MsgpackValue | undefined
}

/** A planned change. */
export interface PlanResponse extends DeferrableResponse {
  readonly plannedState: ReceivedValue
  readonly requiresReplace: readonly (readonly AttributePathStep[])[]
  readonly plannedPrivate: Uint8Array
  readonly plannedIdentity: ReceivedValue
  readonly isLegacyTypeSystem: boolean
}

/** The request to apply a planned change. */
export interface ApplyRequest {
  readonly typeName: string
  readonly priorState: MsgpackValue
  readonly plannedState: MsgpackValue
  readonly config: MsgpackValue
  readonly plannedPrivate: Uint8Array
  readonly plannedIdentity?: MsgpackValue | undefined
  readonly providerMeta?: MsgpackValue | undefined
}

/** The state after a change. With errors, it is the partial state. */
export interface ApplyResponse extends DiagnosedResponse {
  readonly newState: ReceivedValue
  readonly private: Uint8Array
  readonly newIdentity: ReceivedValue
  readonly isLegacyTypeSystem: boolean
}

/** The request to move a state from another resource type. */
export interface MoveStateRequest {
  readonly sourceProviderAddress: string
  readonly sourceTypeName: string
  readonly sourceSchemaVersion: number
  readonly sourceState: StoredValue
  readonly sourcePrivate: Uint8Array
  readonly sourceIdentity?: StoredValue | undefined
  readonly sourceIdentitySchemaVersion?: number | undefined
  readonly targetTypeName: string
}

/** An imported resource, which must be read before its use. */
export interface ImportedResourceMessage {
  readonly typeName: string
  readonly state: ReceivedValue
  readonly private: Uint8Array
  readonly identity: ReceivedValue
}

/** The time of the next renewal of an ephemeral resource, and the private data for that call. */
export interface EphemeralRenewal extends DiagnosedResponse {
  /** Milliseconds since 1970. Undefined: no renewal. */
  readonly renewAtMs: number | undefined
  readonly private: Uint8Array | undefined
}

/** The request to renew or close an ephemeral resource. */
export interface EphemeralRequest {
  readonly typeName: string
  readonly private: Uint8Array | undefined
}

/** A listed resource, or an event with diagnostics only. */
export interface ListResourceEvent extends DiagnosedResponse {
  readonly identity: ReceivedValue
  readonly displayName: string
  readonly resourceObject: ReceivedValue
}

/** The progress of an action, or its end. */
export type ActionEvent =
  | { readonly kind: 'progress'; readonly message: string }
  | ({ readonly kind: 'completed' } & DiagnosedResponse)

/** The request to plan or invoke an action. */
export interface ActionRequest {
  readonly actionType: string
  readonly config: MsgpackValue
}

/**
 * The calls of a Terraform provider, with the names of protocol 6, for both protocols. Values stay
 * encoded. All calls may run concurrently, and no call has a timeout. A call without a response
 * throws ProviderError. A call that returns a malformed schema throws PLUGIN_FAILED. `getFunctions`
 * and `getResourceIdentitySchemas` return empty responses for a provider without these calls.
 */
export interface TerraformClient {
  readonly protocol: ProtocolMajor
  readonly getProviderSchema: () => Promise<ProviderSchemaResponse>
  readonly getResourceIdentitySchemas: () => Promise<
    DiagnosedResponse & { readonly schemas: ReadonlyMap<string, IdentitySchemaMessage> }
  >
  readonly getFunctions: () => Promise<
    DiagnosedResponse & { readonly functions: ReadonlyMap<string, FunctionMessage> }
  >
  readonly validateProviderConfig: (config: MsgpackValue) => Promise<DiagnosedResponse>
  readonly validateResourceConfig: (request: ConfigRequest) => Promise<DiagnosedResponse>
  readonly validateDataResourceConfig: (request: ConfigRequest) => Promise<DiagnosedResponse>
  readonly validateEphemeralResourceConfig: (request: ConfigRequest) => Promise<DiagnosedResponse>
  /** Configures the provider, at most once per process. */
  readonly configureProvider: (config: MsgpackValue) => Promise<DiagnosedResponse>
  readonly upgradeResourceState: (
    request: UpgradeRequest,
  ) => Promise<DiagnosedResponse & { readonly upgradedState: ReceivedValue }>
  readonly upgradeResourceIdentity: (
    request: UpgradeRequest,
  ) => Promise<DiagnosedResponse & { readonly upgradedIdentity: ReceivedValue }>
  readonly readResource: (request: ReadResourceRequest) => Promise<
    DeferrableResponse & {
      readonly newState: ReceivedValue
      readonly private: Uint8Array
      readonly newIdentity: ReceivedValue
    }
  >
  readonly planResourceChange: (request: PlanRequest) => Promise<PlanResponse>
  /** Applies a change. The call cannot be cancelled, because its response has the state. */
  readonly applyResourceChange: (request: ApplyRequest) => Promise<ApplyResponse>
  /** Imports a resource by its id, or by its identity with an empty id. */
  readonly importResourceState: (request: {
    readonly typeName: string
    readonly id: string
    readonly identity?: MsgpackValue | undefined
  }) => Promise<
    DeferrableResponse & { readonly importedResources: readonly ImportedResourceMessage[] }
  >
  readonly moveResourceState: (request: MoveStateRequest) => Promise<
    DiagnosedResponse & {
      readonly targetState: ReceivedValue
      readonly targetPrivate: Uint8Array
      readonly targetIdentity: ReceivedValue
    }
  >
  readonly readDataSource: (request: {
    readonly typeName: string
    readonly config: MsgpackValue
    readonly providerMeta?: MsgpackValue | undefined
  }) => Promise<DeferrableResponse & { readonly state: ReceivedValue }>
  readonly generateResourceConfig: (request: {
    readonly typeName: string
    readonly state: MsgpackValue
  }) => Promise<DiagnosedResponse & { readonly config: ReceivedValue }>
  readonly openEphemeralResource: (
    request: ConfigRequest,
  ) => Promise<EphemeralRenewal & DeferrableResponse & { readonly result: ReceivedValue }>
  readonly renewEphemeralResource: (request: EphemeralRequest) => Promise<EphemeralRenewal>
  readonly closeEphemeralResource: (request: EphemeralRequest) => Promise<DiagnosedResponse>
  readonly callFunction: (request: {
    readonly name: string
    readonly arguments: readonly MsgpackValue[]
  }) => Promise<{
    readonly result: ReceivedValue
    /** `argumentIndex` counts from 0. */
    readonly error:
      | { readonly text: string; readonly argumentIndex: number | undefined }
      | undefined
  }>
  readonly validateListResourceConfig: (
    request: ConfigRequest & {
      readonly includeResourceObject?: MsgpackValue | undefined
      readonly limit?: MsgpackValue | undefined
    },
  ) => Promise<DiagnosedResponse>
  /** Lists resources. The end of the iteration ends the call. `limit` 0 is no limit. */
  readonly listResource: (
    request: ConfigRequest & { readonly includeResourceObject: boolean; readonly limit: number },
  ) => AsyncIterable<ListResourceEvent>
  readonly validateActionConfig: (request: ActionRequest) => Promise<DiagnosedResponse>
  readonly planAction: (request: ActionRequest) => Promise<DeferrableResponse>
  readonly invokeAction: (request: ActionRequest) => AsyncIterable<ActionEvent>
  /** Asks running calls to return early. Returns the provider's failure, if any. */
  readonly stopProvider: () => Promise<string | undefined>
}
