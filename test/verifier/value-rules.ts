import {
  field,
  fieldsOf,
  isList,
  isObject,
  isSorted,
  type Ordered,
  parseOrdered,
  printAsGo,
  textField,
} from './ordered-json.ts'

/** What a check is told: what is wrong, and where. */
export type Report = (where: string, what: string) => void

/** What the values of one export have in common. */
export interface ValueContext {
  readonly report: Report
  /** How secrets stand: sealed, shown, or, inside of a shown secret, shown too. */
  readonly secrets: 'sealed' | 'shown'
  /** Whether ciphertexts have the `v1:` form of a symmetric key. */
  readonly symmetric: boolean
  /** Ciphertexts that were seen: none may be used twice. */
  readonly ciphertexts: Set<string>
  /** Set when a byte string was seen. */
  readonly noteBytes: () => void
}

const signatureKey = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'
const assetSignature = 'c44067f5952c0a294b673a41bacd8c17'
const archiveSignature = '0def7320c3a5731c473e5ecbe6d01bc7'
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e'
const bytesSignature = '803fd3297a5875dc03ca845dda5d2a98'
const floatSignature = '8ad145fe-0d11-4827-bfd7-1abcbf086f5c'

/** Checks one property value of a state (state.md 2.2, 2.3, 2.5). */
export function checkValue(value: Ordered, where: string, context: ValueContext): void {
  if (isList(value)) {
    for (const [at, item] of value.entries()) checkValue(item, `${where}[${at}]`, context)
    return
  }
  if (!isObject(value)) return
  const keys = value.fields.map(([key]) => key)
  const signature = field(value, signatureKey)
  if (signature !== secretSignature && !isSorted(keys))
    context.report(where, 'its keys are not sorted by bytes, or one stands twice')
  if (signature === undefined) {
    for (const [key, item] of value.fields) checkValue(item, `${where}.${key}`, context)
    return
  }
  checkSpecial(value, where, context)
}

function checkSpecial(value: Ordered, where: string, context: ValueContext): void {
  const { report } = context
  switch (field(value, signatureKey)) {
    case secretSignature:
      checkSecret(value, where, context)
      return
    case assetSignature:
    case archiveSignature:
      checkAsset(value, where, context)
      return
    case referenceSignature:
      checkReference(value, where, report)
      return
    case bytesSignature:
      checkBytes(value, where, context)
      return
    case floatSignature:
      checkFields(value, where, { report, known: ['value'] })
      if (!/^(7ff|fff)[0-9a-f]{13}$/.test(textField(value, 'value')))
        report(where, 'a number by its bits is finite or malformed')
      return
    default:
      report(where, 'it has an unknown signature')
  }
}

function checkFields(
  value: Ordered,
  where: string,
  rules: { readonly report: Report; readonly known: readonly string[] },
): void {
  for (const [key] of fieldsOf(value))
    if (key !== signatureKey && !rules.known.includes(key))
      rules.report(where, `'${key}' does not belong there`)
}

function checkSecret(value: Ordered, where: string, context: ValueContext): void {
  const { report, secrets } = context
  const name = secrets === 'sealed' ? 'ciphertext' : 'plaintext'
  const [first, second, ...more] = fieldsOf(value)
  if (first?.[0] !== signatureKey || second?.[0] !== name || more.length > 0) {
    report(where, `a secret must have signature and ${name}, in this order, and nothing else`)
    return
  }
  const text = textField(value, name)
  if (secrets === 'sealed') checkCiphertext(text, where, context)
  else checkPlaintext(text, where, context)
}

/** Checks what a sealed secret looks like from outside: form, length of the nonce, used once. */
export function checkCiphertext(text: string, where: string, context: ValueContext): void {
  const { report, ciphertexts, symmetric } = context
  if (text === '') report(where, 'a ciphertext is empty')
  if (ciphertexts.has(text)) report(where, 'a ciphertext is used twice')
  ciphertexts.add(text)
  if (symmetric && !isSymmetric(text)) report(where, 'a ciphertext is not v1:<nonce>:<sealed>')
}

/** Whether a text has the form of AES-256-GCM under a symmetric key (state.md 3.1). */
export function isSymmetric(text: string): boolean {
  const [version, nonce = '', sealed = '', ...more] = text.split(':')
  if (version !== 'v1' || more.length > 0 || !isBase64(nonce) || !isBase64(sealed)) return false
  return Buffer.from(nonce, 'base64').length === 12 && Buffer.from(sealed, 'base64').length >= 16
}

function checkPlaintext(text: string, where: string, context: ValueContext): void {
  try {
    const inner = parseOrdered(text)
    if (printAsGo(inner, { indent: '', html: true }) !== text)
      context.report(where, 'a plaintext is not the JSON that Go writes')
    checkValue(inner, `${where}(secret)`, context)
  } catch {
    context.report(where, 'a plaintext is not JSON')
  }
}

function checkAsset(value: Ordered, where: string, context: ValueContext): void {
  const isAsset = field(value, signatureKey) === assetSignature
  const { report } = context
  const sources = isAsset ? ['path', 'text', 'uri'] : ['assets', 'path', 'uri']
  checkFields(value, where, { report, known: ['hash', ...sources] })
  const given = sources.filter(name => field(value, name) !== undefined)
  if (given.length > 1) report(where, `it has several sources: ${given.join(', ')}`)
  for (const name of ['hash', 'path', 'text', 'uri'])
    if (field(value, name) !== undefined && textField(value, name) === '')
      report(where, `its ${name} is empty and should be left out`)
  if (field(value, 'hash') !== undefined && !/^[0-9a-f]{64}$/.test(textField(value, 'hash')))
    report(where, 'its hash is not a hex SHA-256')
  const members = field(value, 'assets')
  if (members === undefined) return
  if (!isObject(members)) report(where, 'its members are no object')
  checkValue(members, `${where}.assets`, context)
  for (const [key, member] of fieldsOf(members)) {
    const signature = field(member, signatureKey)
    if (signature !== assetSignature && signature !== archiveSignature)
      report(`${where}.assets.${key}`, 'a member is neither asset nor archive')
  }
}

function checkReference(value: Ordered, where: string, report: Report): void {
  checkFields(value, where, { report, known: ['id', 'packageVersion', 'urn'] })
  if (typeof field(value, 'packageVersion') !== 'string')
    report(where, 'a reference must have a packageVersion, if only an empty one')
  if (!isUrn(textField(value, 'urn'))) report(where, 'a reference has no URN')
  const id = field(value, 'id')
  if (id !== undefined && typeof id !== 'string') report(where, 'the id of a reference is no text')
}

function checkBytes(value: Ordered, where: string, context: ValueContext): void {
  const { report } = context
  context.noteBytes()
  checkFields(value, where, { report, known: ['value'] })
  const text = textField(value, 'value')
  if (!isBase64(text)) report(where, 'a byte string is not base64')
  else if (isUtf8(Buffer.from(text, 'base64')))
    report(where, 'a byte string is UTF-8 and should be a string')
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Whether a text is standard base64 with padding, and the one that its bytes have. */
export function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text
}

/** Whether a text is a URN: the prefix and three separators. */
export function isUrn(text: string): boolean {
  return text.startsWith('urn:pulumi:') && text.split('::').length >= 4
}
