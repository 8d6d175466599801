/** What the tests use of Meta's SDK, which has no types of its own. */
declare module 'facebook-nodejs-business-sdk' {
  type Row = { readonly id: string; readonly _data: Record<string, unknown> }
  type Parameters = Record<string, unknown>

  class FacebookAdsApi {
    /** `crashLog` reports uncaught exceptions of the process to graph.facebook.com. */
    constructor(accessToken: string, locale: string, crashLog: boolean)
    call(method: string, path: readonly string[], parameters?: Parameters): Promise<Record<string, unknown>>
  }

  class Cursor extends Array<Row> {
    hasNext(): boolean
    hasPrevious(): boolean
    next(): Promise<Cursor>
    previous(): Promise<Cursor>
  }

  class WhatsAppBusinessAccount {
    constructor(id: string, data: Parameters, parentId: undefined, api: FacebookAdsApi)
    get(fields: readonly string[], parameters?: Parameters): Promise<Row>
    getMessageTemplates(fields: readonly string[], parameters?: Parameters): Promise<Cursor>
    createMessageTemplate(fields: readonly string[], parameters: Parameters): Promise<Row>
    deleteMessageTemplates(parameters: Parameters): Promise<Record<string, unknown>>
    getPhoneNumbers(fields: readonly string[], parameters?: Parameters): Promise<Cursor>
    getSubscribedApps(fields: readonly string[]): Promise<Cursor>
    createSubscribedApp(fields: readonly string[], parameters?: Parameters): Promise<Row>
    deleteSubscribedApps(parameters?: Parameters): Promise<Record<string, unknown>>
    getFlows(fields: readonly string[]): Promise<Cursor>
  }

  const sdk: {
    FacebookAdsApi: typeof FacebookAdsApi
    WhatsAppBusinessAccount: typeof WhatsAppBusinessAccount
  }
  export default sdk
}
