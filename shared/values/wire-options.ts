/**
 * Capabilities of a peer, and the handling of values that it cannot read
 * (docs/spec/property-values.md#wire-encoding, docs/spec/property-values.md#options-per-call).
 */
export interface WireOptions {
  /** `keep`: send a marker text. `drop`: omit the value. `reject`: throw VALUE_MALFORMED. */
  readonly unknowns: 'keep' | 'drop' | 'reject'
  /** True: secrets are sent wrapped; false: bare. */
  readonly secrets: boolean
  /** True: references are sent wrapped; false: as id (custom resources) or URN. */
  readonly references: boolean
  /** True: output values are sent as such; false: they become unknown, secret or bare. */
  readonly outputs: boolean
  /** Whether secrets and unknowns become output values too. Has an effect only with `outputs`. */
  readonly upgradesToOutputs?: boolean
  /** Whether strings that are not UTF-8 may be sent. Reading always accepts such strings. */
  readonly allowsByteStrings: boolean
  /** Whether only the hashes of assets and archives are sent. */
  readonly elideAssets?: boolean
}

/** The key that marks an object as a special value. */
export const signatureKey = '4dabf18193072939515e22adb298388d'

/** The values of the signature key on the wire. */
export const signatures = {
  secret: '1b47061264138c4ac30d75fd1eb44270',
  reference: '5cf8f73096256a8f31e491e813e4eb8e',
  output: 'd0e6a833031e9bbcd3f4e8bde6ca49a4',
  asset: 'c44067f5952c0a294b673a41bacd8c17',
  archive: '0def7320c3a5731c473e5ecbe6d01bc7',
  bytes: '803fd3297a5875dc03ca845dda5d2a98',
} as const

/** SHA-256 of the empty text: the hash of an empty text asset. */
export const emptyAssetHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** SHA-256 of a tar without members: the hash of an empty archive. */
export const emptyArchiveHash = '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef'

/** Texts that mean "unknown", for bool, number, string, array, asset, archive, object. */
export const unknownMarkers: ReadonlySet<string> = new Set([
  '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7',
  '3eeb2bf0-c639-47a8-9e75-3b44932eb421',
  '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
  '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2',
  '030794c1-ac77-496b-92df-f27374a8bd58',
  'e48ece36-62e2-4504-bad9-02848725956a',
  'dd056dcd-154b-4c76-9bd3-c8f88648b5ff',
])

/** The context in which a value is read or written: the options, and the current path. */
export interface WireContext {
  readonly options: WireOptions
  readonly path: (string | number)[]
}

/** Returns the current path as text, such as `tags.list[2]`. */
export function pathTextOf(context: WireContext): string {
  let text = ''
  for (const part of context.path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

/** Sets a property, including one named `__proto__`. */
export function setProperty(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') fields[key] = value
  else
    Object.defineProperty(fields, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}
