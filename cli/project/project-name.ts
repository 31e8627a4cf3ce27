import { createError } from '../../shared/errors/error.ts'

/** Returns the name of a project if Pulumi accepts it. Throws CLI_USAGE. */
export function requireProjectName(name: string): string {
  if (!/^[\w.-]{1,100}$/.test(name))
    throw createError('CLI_USAGE', `'${name}' is not the name of a project`, {
      hint: 'Use at most 100 characters: letters, digits, `_`, `.` and `-`.',
    })
  if (isReserved(name))
    throw createError(
      'CLI_USAGE',
      `the project name '${name}' collides with the libraries of Pulumi`,
      {
        hint: 'Use another name than `Pulumi`, without the prefix `Pulumi.`.',
      },
    )
  return name
}

/** Returns a name that `requireProjectName` accepts, from the name of a folder. */
export function toProjectName(text: string): string {
  const name = text.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)
  return name === '' || isReserved(name) ? 'project' : name
}

/** Reports whether a project in .NET could not have the name, because a library has it. */
function isReserved(name: string): boolean {
  return /^pulumi(\.|$)/i.test(name)
}
