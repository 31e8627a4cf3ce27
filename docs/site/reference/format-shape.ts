import * as z from 'zod'
import { formatCell } from './format-cell.ts'

/** The parts of a JSON schema that describe the shape of a value. */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly additionalProperties?: Shape | boolean
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

/** Formats a JSON schema in one line, in the notation of TypeScript. `…` is any value. */
export function formatShape(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum !== undefined) return shape.enum.map(value => JSON.stringify(value)).join(' | ')
  const alternatives = shape.anyOf ?? shape.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map(formatShape))].join(' | ')
  if (shape.type === 'array') return formatArray(formatShape(shape.items ?? {}))
  if (shape.type === 'object') return formatObject(shape)
  return typeof shape.type === 'string' ? shape.type : '…'
}

const formatArray = (item: string): string =>
  item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`

function formatObject({ properties, required = [], additionalProperties }: Shape): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${formatShape(field)}`,
  )
  const others =
    typeof additionalProperties === 'object' && fields.length === 0
      ? [`[name]: ${formatShape(additionalProperties)}`]
      : []
  const entries = [...fields, ...others]
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Renders the shape of a zod type as code. */
export function renderShape(zodType: z.ZodType, io: 'input' | 'output'): string {
  const schema = z.toJSONSchema(zodType, { io, unrepresentable: 'any' })
  return `\`${formatCell(formatShape(schema as Shape))}\``
}
