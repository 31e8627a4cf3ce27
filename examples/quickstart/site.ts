import * as pulumi from '@pulumi/pulumi'
import { BucketFile } from './bucket'

/** An article, and the path of its page in the bucket. */
export interface Article {
  readonly title: string
  readonly path: string
  readonly note: string
}

/** The contents of a site. */
export interface SiteArgs {
  readonly title: string
  readonly articles: readonly Article[]
  /**
   * The text of the members' page. The site makes it a secret, so it is encrypted in the state and
   * hidden in the display.
   */
  readonly token: pulumi.Input<string>
}

/** A site: articles, assets, an index of the articles, a page for members, and a manifest. */
export class Site extends pulumi.ComponentResource {
  readonly index: pulumi.Output<string>
  readonly pageCount: pulumi.Output<number>
  readonly fileCount: pulumi.Output<number>
  readonly token: pulumi.Output<string>

  constructor(name: string, args: SiteArgs, options?: pulumi.ComponentResourceOptions) {
    super('quickstart:index:Site', name, {}, options)
    const createFile = (
      label: string,
      path: string,
      content: pulumi.Input<string>,
      extraOptions: pulumi.CustomResourceOptions = {},
    ): BucketFile =>
      new BucketFile(`${name}-${label}`, { path, content }, { parent: this, ...extraOptions })

    const style = createFile('style', 'assets/style.css', css)
    const script = createFile('script', 'assets/keys.js', js)
    const head = pulumi
      .all([style.hash, script.hash])
      .apply(([styleHash, scriptHash]) => renderHead(styleHash, scriptHash))
    const articles = args.articles.map(({ title, path, note }) =>
      createFile(title.toLowerCase(), path, pulumi.interpolate`${head}${renderBody(title, note)}`),
    )
    const index = createFile(
      'index',
      'index.html',
      pulumi.interpolate`${head}${renderBody(args.title, renderLinks(args.articles))}`,
      { dependsOn: articles },
    )
    const token = pulumi.secret(args.token)
    const members = createFile(
      'members',
      'members.html',
      pulumi.interpolate`${head}${renderBody('Members', pulumi.interpolate`Say: ${token}`)}`,
      // A reader of the hash could guess a short token, so the hash is a secret too.
      { additionalSecretOutputs: ['hash'] },
    )
    const publicFiles = [style, script, ...articles, index]
    const manifestText = pulumi
      .all(publicFiles.map(({ hash, path }) => pulumi.interpolate`${hash}  ${path}\n`))
      .apply(lines => lines.join(''))
    const manifest = createFile('manifest', 'manifest.txt', manifestText, {
      dependsOn: [...publicFiles, members],
    })

    const pages = [...articles, index, members]
    this.index = index.path
    this.pageCount = pulumi.output(pages.length)
    this.fileCount = pulumi.output([...publicFiles, members, manifest].length)
    this.token = token
    const { pageCount, fileCount } = this
    this.registerOutputs({ index: this.index, pageCount, fileCount, token })
  }
}

/** Renders the start of every page. The hashes make browsers fetch a changed asset again. */
function renderHead(styleHash: string, scriptHash: string): string {
  return [
    '<!doctype html>',
    `<link rel="stylesheet" href="/assets/style.css?${styleHash.slice(0, 8)}">`,
    `<script defer src="/assets/keys.js?${scriptHash.slice(0, 8)}"></script>`,
    '',
  ].join('\n')
}

function renderBody(title: string, text: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi.interpolate`<title>${title}</title>\n<h1>${title}</h1>\n<p>${text}</p>\n`
}

function renderLinks(articles: readonly Article[]): string {
  return articles.map(({ title, path }) => `<a href="/${path}">${title}</a>`).join('\n')
}

const css = 'body { font: 1.1rem/1.6 serif; margin: 3rem auto; max-width: 36rem }\n'
const js = "addEventListener('keyup', ({ key }) => key === 'Home' && location.assign('/'))\n"
