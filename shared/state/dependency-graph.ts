import { compareUtf8 } from '../values/go-json.ts'
import { readListMapField, readTextField, readTextListField } from './stored-fields.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

/** The options of a graph, as in Pulumi's `stack graph`. */
export interface GraphOptions {
  readonly ignoreParentEdges: boolean
  readonly ignoreDependencyEdges: boolean
  readonly dependencyEdgeColor: string
  readonly parentEdgeColor: string
  /** Whether nodes have the names of resources instead of their URNs. */
  readonly shortNodeName: boolean
  /** A text that follows the first line of the graph; '' for none. */
  readonly dotFragment: string
}

interface GraphEdge {
  readonly to: string
  readonly color: string
  readonly label: string
}

/**
 * Formats the resources of a state as a directed graph in the DOT language, with the nodes in the
 * order of their URNs. One kind of edge leads from a dependency to its dependent. Its label names
 * the properties of the dependent that need the dependency. The other kind leads from a child to
 * its parent. A resource and its old copies are one node.
 */
export function formatDependencyGraph(
  { resources = [] }: StoredDeployment,
  options: GraphOptions,
): string {
  const edges = new Map<string, GraphEdge[]>(resources.map(({ urn }) => [urn, []]))
  for (const resource of resources) {
    if (!options.ignoreDependencyEdges)
      for (const dependency of readTextListField(resource, 'dependencies'))
        edges.get(dependency)?.push({
          to: resource.urn,
          color: options.dependencyEdgeColor,
          label: listPropertiesFrom(resource, dependency).join(', '),
        })
    const parent = readTextField(resource, 'parent')
    if (!options.ignoreParentEdges && edges.has(parent))
      edges.get(resource.urn)?.push({ to: parent, color: options.parentEdgeColor, label: '' })
  }
  const ids = new Map<string, string>()
  const idOf = (urn: string): string => {
    const id = ids.get(urn) ?? `Resource${ids.size}`
    ids.set(urn, id)
    return id
  }
  const lines = [...edges.keys()]
    .sort(compareUtf8)
    .flatMap(urn => [
      `    ${idOf(urn)} [label="${escapeText(labelOf(urn, options))}"];`,
      ...(edges.get(urn) ?? []).map(
        edge => `    ${idOf(urn)} -> ${idOf(edge.to)}${formatAttributes(edge)};`,
      ),
    ])
  const fragment = options.dotFragment === '' ? [] : [options.dotFragment]
  return `${['strict digraph {', ...fragment, ...lines, '}'].join('\n')}\n`
}

function labelOf(urn: string, { shortNodeName }: GraphOptions): string {
  return shortNodeName ? urn.slice(urn.lastIndexOf('::') + 2) : urn
}

/** Returns the properties that depend on a resource, in the order of their names. */
function listPropertiesFrom(resource: StoredResource, dependency: string): readonly string[] {
  return [...readListMapField(resource, 'propertyDependencies')]
    .filter(([, urns]) => urns.includes(dependency))
    .map(([property]) => property)
    .sort(compareUtf8)
}

function formatAttributes({ color, label }: GraphEdge): string {
  const attributes = [
    ...(color === '' ? [] : [`color = "${escapeText(color)}"`]),
    ...(label === '' ? [] : [`label = "${escapeText(label)}"`]),
  ]
  return attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`
}

/** Escapes a text within double quotes of the DOT language. */
function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}
