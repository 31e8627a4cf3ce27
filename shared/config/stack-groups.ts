/**
 * A group of an installation: the stacks of its projects have tables, a bucket, queues, a key and
 * roles that no other group may use.
 */
export interface StackGroup {
  readonly name: string
  /** Names of projects, and prefixes of such names. A prefix has a `*` at its end. */
  readonly projects: readonly string[]
}

/** The name of the default group. It contains all projects that no other group lists. */
export const defaultGroup = 'default'

/** The header of a request to the API that names a group, for documents without a stack. */
export const apiGroupHeader = 'antichain-group'

/** Maximum number of groups besides the default one. The role of the API names their resources. */
export const groupsMax = 4

/** Maximum length of the setting, in characters: the variables of a function have at most 4 KB. */
const settingCharsMax = 1_000

const groupNamePattern = /^[a-z][a-z0-9-]{0,11}$/
/** Reports whether a text is the name of a group. */
export const isStackGroupName = (name: string): boolean => groupNamePattern.test(name)

const projectPattern = /^(?:[\w.-]{1,100}|[\w.-]{1,99}\*)$/

/** The problem of an invalid setting, with the next step. */
export interface StackGroupsProblem {
  readonly problem: string
}

/**
 * Parses the groups of an installation: `<name>=<project>,<prefix>*;<name>=…`. Spaces around names
 * are ignored.
 */
export function parseStackGroups(text: string): readonly StackGroup[] | StackGroupsProblem {
  if (text.trim() === '') return []
  if (text.length > settingCharsMax)
    return { problem: `at most ${settingCharsMax} characters: use prefixes such as 'shop-*'` }
  const groups: StackGroup[] = []
  for (const part of text.split(';')) {
    const group = parseGroup(part.trim())
    if ('problem' in group) return group
    groups.push(group)
  }
  const problem = findGroupConflict(groups)
  return problem === undefined ? groups : { problem }
}

function parseGroup(text: string): StackGroup | StackGroupsProblem {
  const separatorIndex = text.indexOf('=')
  const name = text.slice(0, Math.max(0, separatorIndex)).trim()
  if (separatorIndex < 0)
    return { problem: `'${text}' is not a group: write it as name=project,prefix*` }
  if (!groupNamePattern.test(name))
    return {
      problem: `'${name}' is not the name of a group: use at most 12 lower-case letters, digits and '-', beginning with a letter`,
    }
  if (name === defaultGroup)
    return {
      problem: `'${defaultGroup}' is the group of all other projects: choose another name`,
    }
  const projects = text
    .slice(separatorIndex + 1)
    .split(',')
    .map(project => project.trim())
  const invalid = projects.find(project => !projectPattern.test(project))
  if (invalid !== undefined)
    return {
      problem: `'${invalid}' in the group '${name}' is not a project: use letters, digits, '_', '.' and '-', with '*' only at the end of a prefix`,
    }
  return { name, projects }
}

function findGroupConflict(groups: readonly StackGroup[]): string | undefined {
  if (groups.length > groupsMax)
    return `at most ${groupsMax} groups: create another installation for further ones`
  const names = groups.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    return `the group '${repeated}' is named twice: list all of its projects once`
  const entries = groups.flatMap(({ name, projects }) => projects.map(pattern => [name, pattern]))
  for (const [index, [name = '', pattern = '']] of entries.entries())
    for (const [otherName = '', otherPattern = ''] of entries.slice(index + 1))
      if (overlaps(pattern, otherPattern))
        return `'${pattern}' of the group '${name}' and '${otherPattern}' of the group '${otherName}' name the same projects: remove one of them`
  return undefined
}

/** Reports whether two names or prefixes can name the same project. */
function overlaps(pattern: string, otherPattern: string): boolean {
  return coversProject(pattern, otherPattern) || coversProject(otherPattern, pattern)
}

/** Reports whether a name or prefix covers a project, or all projects of a narrower prefix. */
function coversProject(pattern: string, project: string): boolean {
  return pattern.endsWith('*') ? project.startsWith(pattern.slice(0, -1)) : pattern === project
}

/** Returns the text from which `parseStackGroups` parses these groups. */
export function formatStackGroups(groups: readonly StackGroup[]): string {
  return groups.map(({ name, projects }) => `${name}=${projects.join(',')}`).join(';')
}

/** Returns the name of the group of a project. */
export function groupNameOf(groups: readonly StackGroup[], project: string): string {
  const group = groups.find(({ projects }) =>
    projects.some(pattern => coversProject(pattern, project)),
  )
  return group?.name ?? defaultGroup
}
