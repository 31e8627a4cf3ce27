import { createError } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { formatTable } from '../display/table.ts'
import { changeStackTags, readStackTags } from '../stack/stack-tags.ts'

/** `stack tag ls`: lists the tags of a stack, sorted by name. */
export const listStackTags: Handler = async (session, flags) => {
  const tags = await readStackTags(session, await session.requireStack())
  const rows = Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (isJsonOutput(flags)) session.print(JSON.stringify(Object.fromEntries(rows), null, 2))
  else for (const line of formatTable(['NAME', 'VALUE'], rows)) session.print(line)
  return 0
}

/** `stack tag get <name>`: prints one tag. */
export const printStackTag: Handler = async (session, _flags, [name = '']) => {
  const id = await session.requireStack()
  const tags = await readStackTags(session, id)
  const value = Object.hasOwn(tags, name) ? tags[name] : undefined
  if (value === undefined) throw createMissingTagError(id, name)
  session.print(value)
  return 0
}

/** `stack tag set <name> <value>`: sets one tag. */
export const setStackTag: Handler = async (session, _flags, [name = '', value = '']) => {
  await changeStackTags(session, await session.requireStack(), { [name]: value })
  return 0
}

/** `stack tag rm <name>`: removes one tag. */
export const removeStackTag: Handler = async (session, _flags, [name = '']) => {
  const id = await session.requireStack()
  if (!Object.hasOwn(await readStackTags(session, id), name)) throw createMissingTagError(id, name)
  await changeStackTags(session, id, { [name]: null })
  return 0
}

function createMissingTagError(id: StackId, name: string): Error {
  const { stack } = stackPartsOf(id)
  return createError('DOCUMENT_UNKNOWN', `the stack '${stack}' has no tag '${name}'`, {
    hint: 'List the tags with `antichain stack tag ls`.',
  })
}
