import {
  writeEscapedText,
  fieldOf,
  type OrderedObject,
  parseOrdered,
  textOf,
  writeOrdered,
} from './ordered-json.ts'
import {
  acceptAnything,
  type Check,
  type Field,
  checkList,
  checkMap,
  checkRecord,
  checkText,
} from './record.ts'

/** The key of maps that represent another kind of value. */
const signature = '4dabf18193072939515e22adb298388d'

/** The values of this key, by the kind of value that the map represents. */
const secret = '1b47061264138c4ac30d75fd1eb44270'
const asset = 'c44067f5952c0a294b673a41bacd8c17'
const archive = '0def7320c3a5731c473e5ecbe6d01bc7'
const reference = '5cf8f73096256a8f31e491e813e4eb8e'
const bytes = '803fd3297a5875dc03ca845dda5d2a98'
const float = '8ad145fe-0d11-4827-bfd7-1abcbf086f5c'

/** Base64 with padding. */
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?'
const sealedForm = new RegExp(`^v1:([A-Za-z0-9+/]{16}):(${base64})$`)

/** The ciphertext of a service: base64 of at least 24 characters. */
const serviceForm = new RegExp(`^(?=.{24,}$)${base64}$`)

/** Reports whether a text is sealed: a nonce of 12 bytes, and at least the 16 bytes of the tag. */
export function isSealed(candidate: string): boolean {
  const [, , sealed] = sealedForm.exec(candidate) ?? []
  return sealed !== undefined && Buffer.from(sealed, 'base64').length >= 16
}

/** The requirements on the secrets of a state. */
export interface SecretRules {
  /** True: all sealed; false: all in plaintext; undefined: either. */
  readonly sealed: boolean | undefined
  /** Whether a service sealed the secrets. Its ciphertexts are base64 of unknown bytes. */
  readonly isService?: boolean | undefined
}

/** Returns the check of a property value in its stored form. */
export function checkPropertyValue(rules: SecretRules): Check {
  const value: Check = (json, path) => {
    switch (json.kind) {
      case 'list':
        return checkList(value)(json, path)
      case 'object':
        return fieldOf(json, signature) === undefined
          ? checkMap(value)(json, path)
          : checkSpecialValue(json, path)
      default:
        return []
    }
  }
  const checkSpecialValue = (json: OrderedObject, path: string): readonly string[] => {
    const kind = textOf(json, signature) ?? 'none'
    if (kind === secret) return checkSecretValue(json, path, value, rules)
    const fields = specialFields(value).get(kind)
    if (fields === undefined) return [`${path}: unknown signature '${kind}'`]
    // Such values are written as maps, so their keys have the order of map keys.
    const signatureField: Field = { name: signature, when: 'always', check: acceptAnything }
    const sorted = [...fields, signatureField].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return checkRecord(sorted)(json, path)
  }
  return value
}

function specialFields(value: Check): ReadonlyMap<string, readonly Field[]> {
  const filledField = (name: string, check: Check = checkText()): Field => ({
    name,
    when: 'filled',
    check,
  })
  const alwaysField = (name: string, check: Check): Field => ({ name, when: 'always', check })
  const hash = filledField('hash', checkText(/^[0-9a-f]{64}$/))
  return new Map([
    [asset, [hash, filledField('text'), filledField('path'), filledField('uri')]],
    [
      archive,
      [
        hash,
        { name: 'assets', when: 'nonNull', check: checkMap(value) },
        filledField('path'),
        filledField('uri'),
      ],
    ],
    [
      reference,
      [
        alwaysField('urn', checkText(/^urn:pulumi:/)),
        { name: 'id', when: 'nonNull', check: checkText() },
        alwaysField('packageVersion', checkText()),
      ],
    ],
    [bytes, [alwaysField('value', checkText(new RegExp(`^${base64}$`)))]],
    [float, [alwaysField('value', checkText(/^[0-9a-f]{16}$/))]],
  ])
}

const secretRecord = checkRecord([
  { name: signature, when: 'always', check: checkText() },
  { name: 'ciphertext', when: 'filled', check: checkText() },
  { name: 'plaintext', when: 'filled', check: checkText() },
])

function checkSecretValue(
  json: OrderedObject,
  path: string,
  ...[value, rules]: readonly [Check, SecretRules]
): readonly string[] {
  const errors = secretRecord(json, path)
  if (errors.length > 0) return errors
  const ciphertext = textOf(json, 'ciphertext')
  const plaintext = textOf(json, 'plaintext')
  if ((ciphertext === undefined) === (plaintext === undefined))
    return [`${path}: a secret has either ciphertext or plaintext`]
  if (ciphertext !== undefined) {
    if (rules.sealed === false) return [`${path}: the secret is sealed`]
    const isValid = rules.isService === true ? serviceForm.test(ciphertext) : isSealed(ciphertext)
    return isValid ? [] : [`${path}: malformed ciphertext`]
  }
  if (rules.sealed === true) return [`${path}: the secret is in plaintext`]
  return checkPlaintext(plaintext ?? '', `${path}(secret)`, value)
}

/** Checks the plaintext of a secret: the compact JSON text of a property value. */
function checkPlaintext(plaintext: string, path: string, value: Check): readonly string[] {
  try {
    const json = parseOrdered(plaintext)
    const rewritten = writeOrdered(json, '', writeEscapedText)
    if (rewritten !== plaintext) return [`${path}: is not written compactly`]
    return value(json, path)
  } catch {
    return [`${path}: is not JSON`]
  }
}
