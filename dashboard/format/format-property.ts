/** A value as the page shows it. */
export interface FormattedProperty {
  readonly text: string
  /** Whether the text has several lines, or is long. */
  readonly isBlock: boolean
  /** Whether the value is a secret, whose text is not shown. */
  readonly isHidden: boolean
}

/**
 * The key of the signature of special values in states, and its values. Source:
 * docs/spec/property-values.md.
 */
const signatureKey = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'
const assetSignature = 'c44067f5952c0a294b673a41bacd8c17'
const archiveSignature = '0def7320c3a5731c473e5ecbe6d01bc7'
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e'

/**
 * The markers that previews have in place of unknown values, one for each type. Source:
 * docs/spec/property-values.md#wire-encoding.
 */
const unknownMarkers: ReadonlySet<unknown> = new Set([
  '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7',
  '3eeb2bf0-c639-47a8-9e75-3b44932eb421',
  '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
  '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2',
  '030794c1-ac77-496b-92df-f27374a8bd58',
  'e48ece36-62e2-4504-bad9-02848725956a',
  'dd056dcd-154b-4c76-9bd3-c8f88648b5ff',
])

/** The text in place of every secret, as in events. */
export const hiddenText = '[secret]'

/** Texts of more characters are shown as a block. */
const inlineCharsMax = 60

/** Returns a value of a state or event as text. The text never contains a sealed secret. Pure. */
export function formatProperty(value: unknown): FormattedProperty {
  const shownValue = hideSpecial(value)
  if (shownValue === hiddenText) return { text: hiddenText, isBlock: false, isHidden: true }
  const isText = typeof shownValue === 'string'
  const compact = isText ? shownValue : (JSON.stringify(shownValue) ?? 'undefined')
  const isBlock = compact.length > inlineCharsMax || compact.includes('\n')
  const text = isBlock && !isText ? JSON.stringify(shownValue, null, 2) : compact
  return { text: text === '' ? '""' : text, isBlock, isHidden: false }
}

/**
 * Replaces secrets, unknown values, assets, archives and references to resources by texts, at any
 * depth.
 */
function hideSpecial(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSpecial)
  if (unknownMarkers.has(value)) return 'known after the update'
  if (typeof value !== 'object' || value === null) return value
  const fields: Readonly<Record<string, unknown>> = { ...value }
  switch (fields[signatureKey]) {
    case undefined:
      return Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, hideSpecial(field)]),
      )
    case assetSignature:
      return `[asset ${sourceOf(fields) ?? 'of text'}]`
    case archiveSignature:
      return `[archive ${sourceOf(fields) ?? 'of assets'}]`
    case referenceSignature:
      return `[resource ${String(fields['urn'])}]`
    case secretSignature:
      return hiddenText
    default:
      // A value of an unknown kind may contain a secret.
      return hiddenText
  }
}

/** Returns the path, address or hash of an asset or archive, if it has one that is not empty. */
function sourceOf({ path, uri, hash }: Readonly<Record<string, unknown>>): string | undefined {
  return [path, uri, hash].filter(part => typeof part === 'string').find(part => part !== '')
}
