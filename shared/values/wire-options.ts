/**
 * What a peer has said it can read, and what to do with what it cannot
 * (docs/spec/property-values.md#wire-encoding, docs/spec/property-values.md#options-per-call).
 */
export interface WireOptions {
  /** `keep`: as sentinel text; `drop`: the property is left out; `reject`: VALUE_MALFORMED. */
  readonly unknowns: 'keep' | 'drop' | 'reject'
  /** Secrets travel wrapped; otherwise bare. */
  readonly secrets: boolean
  /** References travel wrapped; otherwise as id (custom resources) or URN. */
  readonly references: boolean
  /** Output values stay; otherwise they collapse to unknown, secret or the bare value. */
  readonly outputs: boolean
  /** With `outputs`: secrets and unknowns become output values too. */
  readonly upgrade?: boolean
  /** Strings that are not UTF-8 may be sent. They are always read. */
  readonly bytes: boolean
  /** Assets and archives are sent as hashes only. */
  readonly elideAssets?: boolean
}

/** The key of an object that says it stands for a special value. */
export const signatureKey = '4dabf18193072939515e22adb298388d'

/** What stands under the signature key on the wire. */
export const signatures = {
  secret: '1b47061264138c4ac30d75fd1eb44270',
  reference: '5cf8f73096256a8f31e491e813e4eb8e',
  output: 'd0e6a833031e9bbcd3f4e8bde6ca49a4',
  asset: 'c44067f5952c0a294b673a41bacd8c17',
  archive: '0def7320c3a5731c473e5ecbe6d01bc7',
  bytes: '803fd3297a5875dc03ca845dda5d2a98',
} as const

/** SHA-256 of nothing: the hash of an empty text asset. */
export const emptyAssetHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** SHA-256 of a tar without members: the hash of an empty archive. */
export const emptyArchiveHash = '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef'

/** Texts that mean "unknown": bool, number, string, array, asset, archive, object. */
export const unknownTexts: ReadonlySet<string> = new Set([
  '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7',
  '3eeb2bf0-c639-47a8-9e75-3b44932eb421',
  '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
  '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2',
  '030794c1-ac77-496b-92df-f27374a8bd58',
  'e48ece36-62e2-4504-bad9-02848725956a',
  'dd056dcd-154b-4c76-9bd3-c8f88648b5ff',
])

/** One pass over a value: the options, and the path to where the pass is now. */
export interface WirePass {
  readonly options: WireOptions
  readonly path: (string | number)[]
}

/** The place of a pass as text: `tags.list[2]`. */
export function pathTextOf(pass: WirePass): string {
  let text = ''
  for (const part of pass.path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

/** Sets a property, also one that is called `__proto__`. */
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
