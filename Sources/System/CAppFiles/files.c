// Written by `list`, from the folder Page.
#include "CAppFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char file_index_html[] = {
#embed "Page/index.html"
};
static const unsigned char file_manifest_webmanifest[] = {
#embed "Page/manifest.webmanifest"
};

static const app_file files[] = {
    {"/icon.svg", file_icon_svg, sizeof file_icon_svg},
    {"/index.html", file_index_html, sizeof file_index_html},
    {"/manifest.webmanifest", file_manifest_webmanifest, sizeof file_manifest_webmanifest},
};

const app_file *app_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
