/** The reference of the routes of the API, rendered from their table. */
import * as z from 'zod'
import type { Route } from '../../../shared/api/define-route.ts'
import { routes } from '../../../functions/api/routes-table.ts'
import { renderShape } from './format-shape.ts'

/** Renders the page of all routes, with role, parameters, body and response. */
export function renderRoutes(): string {
  const groups = Map.groupBy(routes, ({ path }) => titleOf(path))
  const sections = [...groups].flatMap(([title, rows]) => [`## ${title}`, ...rows.map(renderRoute)])
  return ['# Routes of the API', introduction, ...sections].join('\n\n')
}

const introduction = `This page is generated from the table of routes and from the schemas that
check their input. The address \`/openapi.json\` of an API returns the same as a document of OpenAPI.
[The API](../api.md) describes tokens, roles, requests and events.

In a shape, \`?\` marks an optional field, and \`…\` any value. Every failed call returns
\`{ code, message, hint, at? }\` with a [code](../errors.md#codes).`

/** Returns the kind of object that a path begins with: the first part after the stack, if any. */
function titleOf(path: string): string {
  const parts = path.split('/').filter(part => part !== '' && part !== 'v1')
  const names = parts.filter(part => !part.startsWith('{'))
  return (names[0] === 'stacks' ? (names[1] ?? 'stacks') : names[0]) ?? 'stacks'
}

const scopes: Readonly<Record<Route['scope'], string>> = {
  stack: 'for the stack',
  installation: 'for the whole installation',
  any: 'for any stack',
}

function renderRoute(route: Route): string {
  const { method, path, role, scope, summary, status, query, body, output, outputType } = route
  const fieldRoles = Object.entries(route.fieldRoles ?? {}).map(
    ([field, fieldRole]) => `\`${field}\` needs \`${fieldRole}\``,
  )
  const response = outputType === undefined ? renderShape(output, 'output') : `a ${outputType} text`
  const rows = [
    ['Role', [`\`${role}\`, ${scopes[scope]}`, ...fieldRoles].join('; ')],
    ...(query instanceof z.ZodObject ? [['Query', renderShape(query, 'input')]] : []),
    ...(route.rawBody === undefined
      ? body instanceof z.ZodUnknown
        ? []
        : [['Body', renderShape(body, 'input')]]
      : [['Body', `\`${route.rawBody.type}\`, at most ${route.rawBody.bytesMax} bytes`]]),
    [`Response ${status}`, response],
  ]
  return [
    // In plain text, the generator of the site would read `{id}` as an attribute of the heading.
    `### \`${method} ${path}\``,
    `${summary}.`.replace('..', '.'),
    ['| | |', '|---|---|', ...rows.map(([name, text]) => `| ${name} | ${text} |`)].join('\n'),
  ].join('\n\n')
}
