import * as z from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { apiGroupHeader, defaultGroup } from '../../shared/config/stack-groups.ts'
import { parseForm } from '../../shared/values/parse-form.ts'
import type { Route } from '../../shared/api/define-route.ts'
import type { PublicRoute } from '../../shared/api/federation/exchange-route.ts'

const errorForm = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  /** The invalid part of the request, for API_INPUT_INVALID. */
  at: z.string().optional(),
})

/**
 * Returns the OpenAPI 3.1 document of a table of routes, and of routes that need no token. The
 * schemas are derived from the zod types that validate the requests.
 */
export function openApiOf(
  routes: readonly Route[],
  publicRoutes: readonly PublicRoute[],
): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  const addOperation = (
    { path, method }: Pick<Route, 'path' | 'method'>,
    operation: object,
  ): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const route of routes) addOperation(route, describeOperation(route))
  for (const route of publicRoutes) addOperation(route, describePublicOperation(route))
  return {
    openapi: '3.1.0',
    info: { title: 'Antichain', version: manifest.version },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: toJsonSchema(errorForm, 'output') },
    },
  }
}

function describeOperation(route: Route): Readonly<Record<string, unknown>> {
  const { role, scope, summary, status } = route
  const body = describeBody(route)
  return {
    summary,
    description: `Requires the role ${role}; for tokens of ${describeTokenScope(scope)}.`,
    parameters: [
      ...pathParametersOf(route.path),
      ...queryParametersOf(route.query),
      ...groupParametersOf(route),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      [status]: { description: 'Done', content: describeContent(route) },
      ...describeConflict(route),
      default: errorResponse,
    },
  }
}

function describePublicOperation(route: PublicRoute): Readonly<Record<string, unknown>> {
  const { summary, status, body } = route
  const content = { 'application/json': { schema: toJsonSchema(body, 'input') } }
  return {
    summary,
    description: 'Requires no token.',
    security: [],
    requestBody: { required: true, content },
    responses: {
      [status]: { description: 'Done', content: describeContent(route) },
      default: errorResponse,
    },
  }
}

const errorResponse = {
  description: 'Refused or failed',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function describeTokenScope(scope: Route['scope']): string {
  if (scope === 'stack') return 'the stack'
  return scope === 'any' ? 'any stack' : 'all stacks'
}

function describeBody({ rawBody, body }: Route): object | undefined {
  if (rawBody !== undefined) {
    const schema = { type: 'string', format: 'binary', maxLength: rawBody.bytesMax }
    return { required: true, content: { [rawBody.type]: { schema } } }
  }
  if (body instanceof z.ZodUnknown) return undefined
  const content = { 'application/json': { schema: toJsonSchema(body, 'input') } }
  return { required: isRequired(body), content }
}

/** Reports whether a call without this part is refused. */
function isRequired(zodType: z.ZodType): boolean {
  return !parseForm(zodType, undefined).success
}

function describeContent({
  outputType = 'application/json',
  output,
}: Pick<Route, 'output' | 'outputType'>): object {
  return { [outputType]: { schema: toJsonSchema(output, 'output') } }
}

function describeConflict({ conflict }: Route): object {
  if (conflict === undefined) return {}
  const schema = toJsonSchema(conflict.extend(errorForm.shape), 'output')
  return {
    409: { description: 'Too late for this change', content: { 'application/json': { schema } } },
  }
}

function pathParametersOf(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParametersOf(query: z.ZodType): readonly object[] {
  if (!(query instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(query.shape).map(([name, zodType]) => ({
    name,
    in: 'query',
    required: isRequired(zodType),
    schema: toJsonSchema(zodType, 'input'),
  }))
}

/** Returns the header that names the group of stacks, for routes that concern one group. */
function groupParametersOf({ scope, isForAllGroups }: Route): readonly object[] {
  if (scope !== 'installation' || isForAllGroups === true) return []
  const description = `The group of stacks. Default: ${defaultGroup}.`
  return [
    {
      name: apiGroupHeader,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    },
  ]
}

function toJsonSchema(
  zodType: z.ZodType,
  io: 'input' | 'output',
): Readonly<Record<string, unknown>> {
  // A zod type that JSON Schema cannot express is described as any value.
  const { $schema: _, ...schema } = z.toJSONSchema(zodType, { io, unrepresentable: 'any' })
  return schema
}
