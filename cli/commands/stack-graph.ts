import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { formatDependencyGraph } from '../../shared/state/dependency-graph.ts'
import type { Handler } from '../arguments/handler.ts'

/** `stack graph <file>`: writes the resources and their dependencies as a graph in DOT. */
export const writeStackGraph: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  const state = await (await session.openEngine()).exportState(id)
  if (state === undefined)
    throw createError('MOMENT_UNKNOWN', 'the stack has no state yet', {
      hint: 'Run `antichain up` first.',
    })
  const text = formatDependencyGraph(state, {
    ignoreParentEdges: flags.isSet('ignoreParentEdges'),
    ignoreDependencyEdges: flags.isSet('ignoreDependencyEdges'),
    dependencyEdgeColor: flags.text('dependencyEdgeColor') ?? '',
    parentEdgeColor: flags.text('parentEdgeColor') ?? '',
    shortNodeName: flags.isSet('shortNodeName'),
    dotFragment: flags.text('dotFragment') ?? '',
  })
  const file = resolve(session.cwd, name)
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `cannot write ${file}: ${messageOf(cause)}`, { cause })
  }
  session.print(`Wrote stack dependency graph to \`${name}\``)
  return 0
}
