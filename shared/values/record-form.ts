import * as z from 'zod'
import type { Json } from './json.ts'

/**
 * The form of parsed JSON. It returns the value itself, because the copies of `z.json()` lose the
 * key `__proto__`.
 */
export const jsonForm = z.custom<Json>(value => value !== undefined)

/** The key that the copies of `z.record` lose. */
const protoKey = '__proto__'

/**
 * Creates the form of an object whose keys users choose. Unlike `z.record`, this form keeps the key
 * `__proto__`.
 */
export function createRecordForm<Value extends z.ZodType>(
  valueForm: Value,
  keyForm: z.ZodType<string, string> = z.string(),
): z.ZodType<Readonly<Record<string, z.output<Value>>>> {
  const recordForm = z.record(keyForm, valueForm)
  const protoForm = z.tuple([keyForm, valueForm])
  return z
    .unknown()
    .transform((raw, context) => {
      const refuse = (failed: z.ZodError, path?: PropertyKey): never => {
        for (const issue of failed.issues) {
          // The path of an issue of the tuple begins with an index, which `path` replaces.
          const issuePath = path === undefined ? issue.path : [path, ...issue.path.slice(1)]
          context.issues.push({ ...issue, input: undefined, path: issuePath })
        }
        return z.NEVER
      }
      const parsed = recordForm.safeParse(raw)
      if (!parsed.success) return refuse(parsed.error)
      const fields = parsed.data
      const rawFields = raw as Readonly<Record<string, unknown>>
      if (!Object.hasOwn(rawFields, protoKey)) return fields
      const protoEntry = protoForm.safeParse([protoKey, rawFields[protoKey]])
      if (!protoEntry.success) return refuse(protoEntry.error, protoKey)
      const entries = Object.keys(rawFields).map(key =>
        key === protoKey ? protoEntry.data : ([key, fields[key]] as const),
      )
      return Object.fromEntries(entries) as Readonly<Record<string, z.output<Value>>>
    })
    .meta(z.toJSONSchema(recordForm, { unrepresentable: 'any', io: 'input' }))
}
