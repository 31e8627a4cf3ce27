import { unknownText } from '../../shared/names/provider-reference.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { isShownKey } from './changed-keys.ts'

/** What redaction leaves of a secret. */
const secretText = '[secret]'

/**
 * A value as lines: the first continues the line of its key, the others are indented as deep as they
 * are nested. Secrets and values not known yet stand without quotation marks.
 */
export function renderValue(value: unknown): readonly string[] {
  if (typeof value === 'string') return [renderText(value)]
  if (Array.isArray(value))
    return block(
      ['[', ']'],
      value.map((item, at) => [`${at}`, item]),
    )
  if (typeof value !== 'object' || value === null) return [String(value)]
  const fields = Object.entries(value)
  const special = renderSpecial(value)
  if (special !== undefined) return [special]
  const shown = fields.filter(([key]) => isShownKey(key))
  return block(
    ['{', '}'],
    shown.map(([key, item]) => [key, item]),
  )
}

/** A text in quotation marks, or what stands for a secret or an unknown value. */
export function renderText(text: string): string {
  if (text === secretText) return text
  return text.includes(unknownText) && text.trim() === unknownText
    ? '[unknown]'
    : JSON.stringify(text)
}

function block(
  [open, close]: readonly [string, string],
  items: readonly (readonly [string, unknown])[],
): readonly string[] {
  if (items.length === 0) return [`${open}${close}`]
  const inner = items.flatMap(([key, item]) => {
    const [first = '', ...rest] = renderValue(item)
    const name = open === '[' ? `[${key}]` : key
    return [`    ${name}: ${first}`, ...rest.map(line => `    ${line}`)]
  })
  return [open, ...inner, close]
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  [signatures.asset, 'asset'],
  [signatures.archive, 'archive'],
  [signatures.reference, 'resource'],
])

/** Assets, archives and references to resources on one line; undefined for other objects. */
function renderSpecial(value: object): string | undefined {
  const fields = new Map<string, unknown>(Object.entries(value))
  const kind = kinds.get(fields.get(signatureKey))
  if (kind === undefined) return undefined
  if (kind === 'resource') return `resource(${String(fields.get('urn'))})`
  const hash = String(fields.get('hash') ?? '').slice(0, 7)
  const source = fields.get('path') ?? fields.get('uri')
  const where = source === undefined ? '' : ` ${String(source)}`
  return `${kind}(${hash})${where}`
}
