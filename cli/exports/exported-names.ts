import { isStackGroupName } from '../../shared/config/stack-groups.ts'
import { createError } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'

/**
 * The names that an export may have, by their kinds. They become parts of paths and of printed
 * commands. A server chooses them, so a wrong one must not lead out of the folder.
 */
const patterns = {
  /** The names that `parseStackName` accepts. */
  stack: /^organization\/(?!\.\.?\/)[\w.-]{1,100}\/(?!\.\.?$)[\w.-]{1,100}$/,
  /** The names that the stores of documents accept. */
  setting: /^[A-Za-z0-9][\w.-]{0,99}$/,
} as const

/** The pattern of the names of settings in an export. */
export const settingNamePattern = patterns.setting

/** The pattern of the ids of stacks in an export. */
export const exportedStackPattern = patterns.stack

/** Refuses a name from the server that no import accepts. Throws API_ANSWER_UNKNOWN. */
export function requireExportedName(kind: 'stack' | 'group' | 'setting', name: string): void {
  const isValid = kind === 'group' ? isStackGroupName(name) : patterns[kind].test(name)
  if (isValid) return
  const message = `the export ended, because a ${kind} has the invalid name '${toPrintable(name)}'`
  throw createError('API_ANSWER_UNKNOWN', message, {
    hint: 'Do not use the files of this export. Check that the address is the one of your API.',
  })
}
