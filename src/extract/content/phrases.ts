// Phrases that introduce other content than the article (related pages, comments, sharing, subscriptions), in many languages.

const groups = {
  related:
    'related|related (?:articles?|stor(?:y|ies)|posts?|content|links?|news|topics?|coverage|reading|videos?|items|pages|products?)|read (?:more|next|also|on)|see also|also read|also on [\\w. ]+|more (?:from|on|in|about|stories|news|articles|to read|like this)(?: .{1,40})?|more .{1,30} (?:stories|news|articles|posts|videos)|(?:you )?(?:may|might|ll|will) also (?:like|be interested in|enjoy)|you may like|recommended(?: (?:for you|articles|stories|reading|posts|videos))?|recommendations|trending(?: now)?|most (?:read|popular|viewed|shared|recent)|popular(?: (?:posts|articles|stories|now))?|latest(?: (?:news|posts|articles|stories|videos))?|recent (?:posts|articles|comments|news)|up next|next (?:article|post|story|up)|previous (?:article|post|story)|editors? (?:picks|choice)|don t miss|further reading|explore (?:further|more)|top stories|in case you missed it|elsewhere on .{1,30}|what to read next|must watch|featured (?:posts|articles|stories|videos)|similar (?:posts|articles|stories)|other (?:posts|articles|news|stories)|around the web|from around the web|promoted (?:content|stories)|sponsored (?:content|stories|links)|paid content|suggested (?:posts|articles)|keep reading|continue reading|click here .{0,40}|watch (?:now|next|also)|' +
    'verwandte (?:artikel|themen\\w*|beitr[äa]ge|inhalte|links)|mehr (?:zum thema|aus|von|zu|dazu|lesen|informationen|infos)(?: .{1,40})?|lesen sie (?:auch|mehr|hier)|lesen sie auch .{0,80}|lies auch|auch interessant|das könnte (?:sie|dich|euch|ihnen) (?:auch )?(?:interessieren|gefallen)|(?:weitere|ähnliche|aktuelle|neueste|neuste|meistgelesene|empfohlene) (?:artikel|beiträge|themen|nachrichten|meldungen|news|links|informationen|infos|inhalte|produkte)|weiterlesen|zum thema|mehr|empfehlungen(?: .{1,30})?|meistgelesen|schlagw[oö]rter|passend dazu|siehe auch|zurück zur (?:übersicht|startseite|liste)|zurück|nächster (?:artikel|beitrag)|vorheriger (?:artikel|beitrag)|teilen|' +
    'à lire aussi|lire aussi|à lire également|lire (?:la suite|également|plus)|vous aimerez aussi|sur le même (?:sujet|thème)|articles? (?:similaires|liés|connexes|récents|associés)|les plus lus|dans la même rubrique|voir aussi|en savoir plus|à voir aussi|plus d articles|' +
    'lea también|lee también|leer más|te puede interesar|también te puede interesar|te puede gustar|noticias relacionadas|artículos? relacionados?|relacionad[oa]s|más (?:noticias|información|leídas?|sobre .{1,40})|lo más (?:leído|visto)|últimas noticias|ver también|entradas relacionadas|' +
    'leia (?:também|mais)|veja (?:também|mais)|saiba mais|você pode gostar|relacionad[ao]s|notícias relacionadas|artigos relacionados|mais lidas|últimas notícias|posts? relacionados|' +
    'leggi (?:anche|tutto|ancora)|articoli correlati|potrebbe(?:ro)? interessarti(?: anche)?|ti potrebbe interessare|notizie correlate|i più letti|vedi anche|approfondimenti|' +
    'zobacz (?:też|także|również)|czytaj (?:też|także|również|więcej|dalej)|przeczytaj (?:też|także|również)|powiązane(?: .{1,20})?|podobne (?:artykuły|wpisy)|polecane|polecamy|najczęściej czytane|więcej(?: .{1,30})?|najnowsze(?: .{1,20})?|' +
    'lees (?:ook|verder|meer)|gerelateerd(?:e .{1,20})?|meer (?:over|nieuws|artikelen|lezen)(?: .{1,30})?|aanbevolen|les også|læs også|läs (?:också|mer|även)|relaterade?(?: .{1,20})?|lue (?:myös|lisää)|související(?: .{1,20})?|čtěte (?:také|více)|přečtěte si|kapcsolódó(?: .{1,20})?|citește și|vezi și|прочетете също|διαβάστε (?:επίσης|ακόμη|περισσότερα)|σχετικά(?: .{1,20})?|ilgili (?:haberler|konular)|bunlar da ilginizi çekebilir|devamını oku|baca juga|artikel terkait|berita terkait|xem thêm|tin liên quan|bài viết liên quan|' +
    'читайте (?:также|еще|ещё|далее|по теме)(?: .{0,40})?|читать (?:также|далее|еще|ещё)|похожие (?:статьи|записи|материалы|новости)|по теме|материалы по теме|ещё по теме|связанные .{1,20}|популярное|новости по теме|рекомендуем|смотрите также|читайте також|схожі (?:статті|матеріали)|' +
    '関連(?:記事|リンク|ニュース|する?記事|コンテンツ|情報)?|あわせて読みたい|おすすめ(?:記事)?|人気(?:記事|ランキング)|最新(?:記事|ニュース)|次の記事|前の記事|続きを読む|相关(?:阅读|文章|新闻|推荐|链接)|推荐阅读|延伸阅读|相關(?:文章|新聞|閱讀)|推薦閱讀|延伸閱讀|热门(?:文章|推荐)|최신 ?(?:뉴스|기사)|관련 ?(?:기사|뉴스|글)|추천 ?(?:기사|글)|مقالات ذات صلة|اقرأ (?:أيضا|المزيد|أيضًا)|مواضيع (?:ذات صلة|متعلقة)|أخبار ذات صلة|مطالب مرتبط|بیشتر بخوانید|קראו (?:עוד|גם)|כתבות נוספות|संबंधित (?:खबरें|समाचार)|यह भी पढ़ें|यह भी पढ़े',
  comments:
    '(?:\\d+ )?(?:comments?|responses?|repl(?:y|ies)|reactions|thoughts on .{1,120})(?: \\d+)?|leave a (?:reply|comment)|post a comment|add (?:a )?comment|write a comment|join the (?:conversation|discussion)|cancel reply|what do you think|have your say|show comments|view comments|no comments(?: yet)?|comment on this .{1,20}|' +
    '(?:\\d+ )?kommentare?(?: \\d+)?|kommentar (?:schreiben|verfassen|abgeben|hinterlassen)|kommentare schreiben|schreibe? (?:einen|ihren|deinen) kommentar|diskutieren sie mit|antwort(?:en)? (?:schreiben|abbrechen)|diskussion|(?:\\d+ )?commentaires?(?: \\d+)?|laisser un commentaire|réagir|vos réactions|(?:\\d+ )?comentarios?(?: \\d+)?|deja (?:un comentario|una respuesta)|(?:\\d+ )?comentários?(?: \\d+)?|deixe (?:um comentário|uma resposta|seu comentário)|(?:\\d+ )?commenti(?: \\d+)?|lascia un commento|(?:\\d+ )?komentarze?(?: \\d+)?|dodaj komentarz|(?:\\d+ )?reacties?(?: \\d+)?|geef een reactie|(?:\\d+ )?kommentarer?|lämna (?:ett svar|en kommentar)|legg igjen .{1,20}|комментари(?:и|ев|й|я)(?: \\d+)?|добавить комментарий|оставить комментарий|коментарі|コメント(?:を残す|する)?|评论|评论区|發表評論|发表评论|댓글|yorumlar?|yorum (?:yap|yaz)|تعليقات|اترك تعليق.{0,20}',
  share:
    'share|share (?:this|it|on|with|via)(?: .{1,40})?|like it share it|share .{0,20}article|share this .{1,20}|sharing is caring|print|email|e mail|tweet|pin it|pin|follow us(?: .{1,60})?|follow .{1,30} on .{1,40}|like this|like us .{1,40}|save|copy link|facebook|twitter|whatsapp|linkedin|pinterest|telegram|(?:artikel |beitrag |seite |jetzt )?teilen(?: .{1,30})?|drucken|merken|folgen sie uns .{0,40}|partager(?: .{1,40})?|partagez.{0,40}|imprimer|compartir(?: .{1,40})?|comparte .{0,30}|compartilh[ae]r?(?: .{1,40})?|condividi(?: .{1,40})?|udostępnij(?: .{1,30})?|delen|dela|del|поделиться(?: .{1,30})?|поделитесь.{0,30}|шаринг|分享(?:到)?|シェア(?:する)?|공유(?:하기)?|paylaş|شارك|rate this .{1,20}|wie bewerten sie .{0,40}|war dieser artikel .{0,30}|was this (?:article|page) .{0,30}',
  author:
    'about (?:the )?(?:authors?|writer)|about [A-Z].{1,40}|written by(?: .{1,60})?|author|more (?:by|from) (?:this )?author|(?:über|zum|zur) (?:den |die )?autor(?:in|en)?|der autor|die autorin|autor(?:in)?|à propos (?:de l auteur|de l auteure)|sobre (?:el |la |o |a )?autora?|l autore|informazioni sull autore|o autorze|over de auteur|об авторе|автор|作者(?:简介|について)?|著者(?:について)?|この記事を書いた人',
  newsletter:
    '(?:sign up|subscribe|register|join)(?: .{0,80})?|newsletters?(?: .{0,60})?|get (?:the|our) (?:latest|best|newsletter|app|free).{0,80}|download (?:the|our) app|stay (?:up to date|informed|in touch|connected)(?: .{0,60})?|(?:jetzt )?(?:newsletter|abonnieren|anmelden)(?: .{0,60})?|abonnez vous.{0,60}|inscrivez vous.{0,60}|s abonner|suscríbete.{0,60}|suscribirse|inscreva se.{0,60}|assine.{0,60}|iscriviti.{0,60}|zapisz się.{0,60}|подпис(?:аться|ывайтесь|ка).{0,60}|support (?:us|our .{1,30})|donate(?: .{0,40})?',
  tags: 'tags?|topics?|tagged(?: .{0,60})?|filed under(?: .{0,60})?|categor(?:y|ies)|posted in(?: .{0,60})?|keywords|in this (?:article|story)|schlagworte|stichworte|themen|kategorien?|mots clés|étiquettes|etiquetas|temas|categorías|assuntos|categorias|argomenti|tagi|tematy|labels|теги|метки|рубрики|標籤|标签|タグ|カテゴリー|태그|etiketler',
  advertisement:
    'advertisements?|ad|ads|sponsored|(?:story )?continues? (?:below|after).{0,40}|advertisement continue .{0,60}|anzeige|werbung|publicité|publicidad|publicidade|pubblicità|reklama|annons|advertentie|реклама|広告|广告|廣告|광고|reklam|إعلان',
} as const

export type PhraseKind = keyof typeof groups

const patterns = Object.entries(groups).map(
  ([kind, words]) => [kind as PhraseKind, new RegExp(`^(?:${words})$`, 'u')] as const,
)
const beginnings = new RegExp(
  `^(?:${groups.related.replaceAll('|mehr|', '|').replaceAll('|teilen|', '|')})(?= ?[:：>»→-])`,
  'u',
)

/** An announcement has at most this many characters. */
const longest = 90

/** The kind of content that a heading or short line announces. Null if the text says anything else. */
export function announced(text: string): PhraseKind | null {
  if (text.length > longest) return null
  const folded = foldedPhrase(text)
  if (folded === '') return null
  for (const [kind, pattern] of patterns) if (pattern.test(folded)) return kind
  return null
}

/** True if the text starts with a pointer to another page, such as "Read more: …". */
export function pointsElsewhere(text: string): boolean {
  const start = text.slice(0, longest).toLowerCase().replace(/['’`]/g, ' ').trim()
  return beginnings.test(start)
}

const foldedPhrase = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
