import type {
  AttributePath,
  Deferred,
  Diagnostic,
  DynamicValue,
  RawState,
  ResourceIdentityData,
} from '../../../../proto/gen/terraform/tfplugin6.ts'
import type {
  AttributePathStep,
  DeferralReason,
  MsgpackValue,
  ProviderDiagnostic,
  ReceivedValue,
  StoredValue,
} from './terraform-client.ts'

/** The severity WARNING of the protocol. */
const warningSeverity = 2

/** Converts diagnostics. A diagnostic without a valid severity counts as an error. */
export function readDiagnostics(diagnostics: readonly Diagnostic[]): readonly ProviderDiagnostic[] {
  return diagnostics.map(({ severity, summary, detail, attribute }) => ({
    severity: severity === warningSeverity ? 'warning' : 'error',
    summary,
    detail,
    path: attribute === undefined ? [] : readPath(attribute),
  }))
}

/** Converts a path. Steps of an unknown kind are left out. */
export function readPath({ steps }: AttributePath): readonly AttributePathStep[] {
  return steps.flatMap(({ selector }): readonly AttributePathStep[] => {
    if (selector?.$case === 'attributeName') return [{ kind: 'attribute', name: selector.value }]
    if (selector?.$case === 'elementKeyString') return [{ kind: 'key', key: selector.value }]
    if (selector?.$case === 'elementKeyInt') return [{ kind: 'index', index: selector.value }]
    return []
  })
}

/** Converts a value. MessagePack is preferred if the provider sends both forms. */
export function readDynamicValue(value: DynamicValue | undefined): ReceivedValue {
  if (value === undefined) return undefined
  if (value.msgpack.length > 0) return { msgpack: value.msgpack }
  return value.json.length > 0 ? { json: value.json } : undefined
}

/** Converts an identity. */
export function readIdentity(identity: ResourceIdentityData | undefined): ReceivedValue {
  return readDynamicValue(identity?.identityData)
}

/** The reasons of deferrals, in the order of their numbers in the protocol. */
const deferralReasons: readonly DeferralReason[] = [
  'unknown',
  'resourceConfigUnknown',
  'providerConfigUnknown',
  'absentPrerequisite',
]

/** Returns the reason of a deferral, or undefined if the provider does not defer. */
export function readDeferral(deferred: Deferred | undefined): DeferralReason | undefined {
  return deferred && (deferralReasons[deferred.reason] ?? 'unknown')
}

/** Converts a value for a request. */
export function toWireValue({ msgpack }: MsgpackValue): DynamicValue {
  return { msgpack, json: new Uint8Array() }
}

/** Converts an optional value for a request. */
export function toOptionalWireValue(value: MsgpackValue | undefined): DynamicValue | undefined {
  return value && toWireValue(value)
}

/** Converts an optional identity for a request. */
export function toWireIdentity(
  identity: MsgpackValue | undefined,
): ResourceIdentityData | undefined {
  return identity && { identityData: toWireValue(identity) }
}

/** Converts a stored value for an upgrade or a move. */
export function toRawState(stored: StoredValue): RawState {
  return 'json' in stored
    ? { json: stored.json, flatmap: new Map() }
    : { json: new Uint8Array(), flatmap: new Map(stored.flatmap) }
}
