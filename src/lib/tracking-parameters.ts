// Query parameters that only track how a user reached a page.

const names = new Set(
  (
    'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid ttclid twclid igshid igsh li_fat_id srsltid epik ' +
    'rb_clickid zanpid wickedid mkt_tok s_cid mc_cid mc_eid vero_id vero_conv oly_anon_id oly_enc_id hsctatracking ' +
    '_ga _gl _hsenc _hsmi __hssc __hstc __hsfp _openstat'
  ).split(' '),
)
const prefixes = ['utm_', 'mtm_', 'pk_', 'piwik_']

export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase()
  return names.has(lower) || (lower.includes('_') && prefixes.some(prefix => lower.startsWith(prefix)))
}
