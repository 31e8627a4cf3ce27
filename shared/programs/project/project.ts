import type { ConfigTree } from '../config/config-tree.ts'

/** The type of a project's configuration key. */
export type ConfigType =
  | { readonly name: 'string' | 'integer' | 'boolean' | 'object' }
  | { readonly name: 'array'; readonly items: ConfigType }

/** One entry of `config:` in the project file. */
export interface ProjectConfigEntry {
  /** As the file spells it; `ns:name` or a name, possibly a path. */
  readonly key: string
  readonly type: ConfigType | undefined
  /** `default`, or `value` for other namespaces; absent when there is none. */
  readonly value: ConfigTree | undefined
  readonly secret: boolean
}

/** A plugin that a project has itself, as its file says. */
export interface DeclaredPlugin {
  readonly kind: 'resource' | 'language' | 'analyzer'
  readonly name: string
  /** '' = whichever is asked for. */
  readonly version: string
  /** A folder, relative to that of the project file or absolute. */
  readonly path: string
  /** It is one of `packages`, and may be made of others in turn. */
  readonly isPackage: boolean
}

/** A project as its file says. */
export interface Project {
  readonly name: string
  readonly description: string
  /** The project file; its extension is that of the stack files too. */
  readonly file: string
  /** The folder of the project file. */
  readonly root: string
  /** '' = no program: only what stands in the state. */
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** A folder or file relative to `root`, '' = `root`. */
  readonly main: string
  /** Sorted by key. */
  readonly config: readonly ProjectConfigEntry[]
  /** The folder of the stack files. */
  readonly stackConfigDir: string
  /** Plugins that it has itself. */
  readonly plugins: readonly DeclaredPlugin[]
  /** `options.refresh: always`. */
  readonly refreshAlways: boolean
}
