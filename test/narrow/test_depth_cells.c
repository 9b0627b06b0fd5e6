/* SPDX-License-Identifier: MIT */
/* Enclosures as narrow as promised where that was not so once, and depth_cells.c by itself.
 *
 * The pairs written out are tangent ones moved by a hundredth of their size (distances to 1e-12
 * of themselves, depths to 1e-9), and adversarial ones from the campaign. depth_cells.c alone,
 * from any direction, is held against the referee of oracle/convex_pair.h over every two types:
 * whatever it is given to begin with, what it proves is true. */
#include "abut/query.h"
#include "narrow/depth/depth.h"
#include "oracle/convex_cases.h"
#include "shape/shape.h"

typedef struct body {
    enum type type;
    double h[3];
} body;

typedef struct pin {
    body a;
    abut_pose at_a;
    body b;
    abut_pose at_b;
} pin;

/* Several valleys nearly as deep; apexes and rims in edges; rings that are not quite one. */
static const pin depths[] = {
    {
        { CONE, { 0x1.5f929d97f333ep-17, 0, 0x1.2b35ad4e950f5p-17 } },
        { { 0, 0, 0 },
          { 0x1.73bb77adfacd8p-3, -0x1.65e1367528dp-5, -0x1.30aca83d2ef6ap-1, 0x1.b71418d5cb228p-3 } },
        { BOX, { 0x1.f5ae26ee9b7a3p-18, 0x1.d6a1863e01dfap-17, 0x1.893e2378e309fp-17 } },
        { { -0x1.8f0e0cefda0edp-19, 0x1.5fb542fd96a21p-16, 0x1.5b7d4ebec8e2dp-16 },
          { -0x1.b074d83f34358p-3, -0x1.a73bfebf65d3cp-2, -0x1.1b8072b15868ap-1, -0x1.08e803b053f24p-2 } },
    },
    {
        { CYLINDER, { 0x1.fc280bd394eadp+8, 0, 0x1.a389ac6a878ep+8 } },
        { { 0, 0, 0 },
          { 0x1.028c5cdb0917p-2, 0x1.c3fb11016c7ep-2, 0x1.2a1b97fac8afp-2, 0x1.83d90c06187p-7 } },
        { BOX, { 0x1.925bc8f1336a2p+10, 0x1.f99b8e2d4480ap+9, 0x1.8c1ad5f315696p+10 } },
        { { 0x1.ef89c4c360405p+10, 0x1.5c4fbe537bbecp+8, -0x1.1a96f9ae46793p+11 },
          { 0x1.f563cf9c01d1p-2, -0x1.299b601ada1fp-4, -0x1.0b8ef1bec5cfep-1, 0x1.3cd7451f8c4ap-2 } },
    },
    {
        { CONE, { 0x1.812e06713443ap+0, 0, 0x1.8269d7682baa8p+0 } },
        { { 0, 0, 0 },
          { 0x1.3dfde924b5d36p-1, -0x1.560ef4aaef338p-3, -0x1.19c2306ffc234p-2, 0x1.620b01ae7bd8cp-2 } },
        { BOX, { 0x1.efc85f69548f7p-2, 0x1.cef812e0b9232p+0, 0x1.1f907ac06452ap-1 } },
        { { 0x1.bbda197bea98dp+1, 0x1.8a3df3b9cdbeap+0, 0x1.faa1f4ae5129bp-3 },
          { -0x1.2678ab4c25d68p-3, -0x1.4bf0f17f7328p-7, -0x1.18cfdfb517ep-9, 0x1.3ae9c76659498p-3 } },
    },
    {
        { CONE, { 0x1.255433604a41p-16, 0, 0x1.3fe2d0b5b2c57p-17 } },
        { { 0, 0, 0 },
          { -0x1.d1b4abf21759cp-2, -0x1.138c09fd10d6p-2, 0x1.320aa8b539p-7, 0x1.1b7971f4e0ecp-4 } },
        { CYLINDER, { 0x1.bc6b9d0ae5876p-17, 0, 0x1.f440fd4a3a1f8p-17 } },
        { { -0x1.15188959ca908p-17, -0x1.5cad1147a1f74p-16, 0x1.34084b1cae1adp-16 },
          { 0x1.512aa1b594358p-2, -0x1.5bf373741c2a8p-3, 0x1.59c0a9c215bbp-2, 0x1.1c1adbc5f38p-3 } },
    },
    {
        { CONE, { 0x1.bff79bb9de2bdp-4, 0, 0x1.60e0f1c3c5efp-4 } },
        { { 0, 0, 0 },
          { -0x1.4d50f8f7580f8p-2, 0x1.3c0cb39207efcp-2, -0x1.27cecbf71874p-1, 0x1.50bfcac44566ap-1 } },
        { CONE, { 0x1.bff79bb9de2bdp-4, 0, 0x1.60e0f1c3c5efp-4 } },
        { { -0x1.38de85ef5197ap-4, -0x1.5c82fce05246dp-4, -0x1.6600da1c8115cp-4 },
          { -0x1.b414b1e1a7a92p-1, 0x1.5f949ded05cf4p-2, 0x1.2ee6aac5b5cf8p-2, -0x1.521d442922e8p-4 } },
    },
    {
        { CONE, { 0x1.158e37c273c62p-10, 0, 0x1.982d60e5e1692p-11 } },
        { { 0, 0, 0 },
          { -0x1.1a25603f155dcp-1, 0x1.57d34c49c1318p-3, 0x1.59f55527c38c8p-2, 0x1.0ef370f1ca564p-1 } },
        { CONE, { 0x1.158e37c273c62p-10, 0, 0x1.982d60e5e1692p-11 } },
        { { -0x1.1187a763ad0dp-9, -0x1.136b8d1049481p-10, -0x1.4426eeca6ed88p-11 },
          { 0x1.6eeb9441024f8p-3, -0x1.bb466d7d6172cp-2, 0x1.ba2dacda3029p-3, 0x1.55cd58576c79ep-1 } },
    },
    {
        { CYLINDER, { 0x1.5618f1572623dp+0, 0, 0x1.36a8588367b42p+0 } },
        { { 0, 0, 0 },
          { 0x1.bc9a7568b6a9p-3, 0x1.9e1bec7ff8p-6, 0x1.354ea69b5ba9p-2, 0x1.d46d123dc0074p-2 } },
        { CYLINDER, { 0x1.5618f1572623dp+0, 0, 0x1.36a8588367b42p+0 } },
        { { 0x1.9cba316d4549fp+0, 0x1.25d5cdecfa5c8p+1, -0x1.0071b466a6b46p+1 },
          { 0x1.1d75af10f9a9p-4, 0x1.2b31c56bde9c4p-1, -0x1.25425551637f8p-1, -0x1.49a5955feb6p-7 } },
    },
    {
        { CONE, { 0x1.909db4970474ap-10, 0, 0x1.2b3a94c41e8cap-10 } },
        { { 0, 0, 0 },
          { 0x1.911a883d7a6b4p-2, -0x1.c61047534ca5p-3, 0x1.18df6bf9c46dcp-1, 0x1.0645f50ee3358p-2 } },
        { CYLINDER, { 0x1.161bd27f036e8p-10, 0, 0x1.696561296f114p-10 } },
        { { 0x1.a75230d53d742p-10, -0x1.37501834c9b63p-9, -0x1.8adf970980f01p-10 },
          { 0x1.6d4f096fe7dc8p-3, 0x1.52ffec0d76ad4p-1, 0x1.ef9b3f2e95da8p-2, 0x1.09b9144df55c4p-1 } },
    },
    {
        { CYLINDER, { 0x1.33a435a24dca4p+10, 0, 0x1.75aec9d43b3c3p+9 } },
        { { 0, 0, 0 },
          { -0x1.3e65f58ced124p-2, -0x1.1b262059483c8p-1, 0x1.7ffa8754a2c48p-3, -0x1.440faaa3e604cp-1 } },
        { CONE, { 0x1.f2c44c9eb41ffp+10, 0, 0x1.12880ce9a738p+10 } },
        { { -0x1.5cdc4c22b851fp+10, -0x1.86de2f16a9618p+6, -0x1.d1657ed025a56p+10 },
          { -0x1.8443c4baba024p-1, -0x1.8c8042238e7ap-4, -0x1.330d1373c265p-4, -0x1.cab2ebec62a4p-3 } },
    },
    {
        { CYLINDER, { 0x1.7fc081d90db8fp-10, 0, 0x1.37ba9e6683d8ep-13 } },
        { { -0x1.07006cf65cd13p+2, -0x1.705bfe08eae36p+1, 0x1.3185d8b90f24cp+2 },
          { 0x1.5611bf20735e4p-2, -0x1.4bbbf3acd95f4p-2, -0x1.a2dbc93eb9de4p-1, -0x1.bf4040c25decp-3 } },
        { CYLINDER, { 0x1.64efcdfe55ecp-2, 0, 0x1.c3076f08cb51dp-2 } },
        { { -0x1.07006cf65cd13p+2, -0x1.705bfe08eae36p+1, 0x1.3185d8b90f24cp+2 },
          { -0x1.1932e9db4e5aep-1, -0x1.08e8619f86324p-2, -0x1.e2b2518ca8f08p-3, 0x1.ec4220f73d5dp-3 } },
    },
    {
        { BOX, { 0x1.3909bb319efc1p-11, 0x1.ed5d300a91ffap-11, 0x1.99d368a9293f6p-1 } },
        { { 0x1.96f5126c42344p+1, 0x1.ef53993eb60ep-2, 0x1.00bc8f84f4122p+1 },
          { 0x1.a40c43c80b0dcp-2, 0x1.1b5afa649c8d4p-2, 0x1.8f8a10ad77618p-2, -0x1.03c2ad3cdb514p-1 } },
        { CYLINDER, { 0x1.932bf0369376ap-4, 0, 0x1.5433ed4d4578ap-1 } },
        { { 0x1.96f5126c42344p+1, 0x1.ef53993eb60ep-2, 0x1.00bc8f84f4122p+1 },
          { 0x1.a40c43c80b0dcp-2, 0x1.1b5afa649c8d4p-2, 0x1.8f8a10ad77618p-2, -0x1.03c2ad3cdb514p-1 } },
    },
    {
        { CYLINDER, { 0x1.8ed0ba8608e04p-2, 0, 0x1.0387f45a5523dp-1 } },
        { { 0x1.06bcf1cdc4fdcp+1, 0x1.43858b6ad50cp-1, -0x1.a9a30fbbd987ap+1 },
          { 0x1.e8a9ebaa864dp-3, 0x1.6245c6ec1552p-2, 0x1.100c81b824decp-1, -0x1.0c17c1c328a24p-2 } },
        { BOX, { 0x1.53b25b403f58ep-1, 0x1.7495bd6a0af51p-13, 0x1.583852b84c21fp-11 } },
        { { 0x1.bad0a9d3b0717p+0, 0x1.59332b0f521ecp-2, -0x1.5a7e65e93c1afp+1 },
          { -0x1.09b623ce1b01p-4, 0x1.73f55bafe287p-2, -0x1.621af0008fae4p-1, 0x1.51452786102f8p-3 } },
    },
    {
        { CYLINDER, { 0x1.73ac0bd8c1c13p+5, 0, 0x1.081fc1d78490fp+6 } },
        { { 0, 0, 0 },
          { 0x1.2ca2a3be52dp-2, 0x1.8a432e297732p-1, -0x1.8b46af035f064p-2, -0x1.1e9843eb4db5cp-2 } },
        { CONE, { 0x1.5384ad0bf3093p+6, 0, 0x1.975b943363a0cp+5 } },
        { { -0x1.24c6629fbfb0bp+6, -0x1.604f0f0162d2ep+5, 0x1.566b9729dfdd2p+5 },
          { 0x1.a9d4a311586ep-5, -0x1.5ebfb73888b62p-1, 0x1.5bc9b9f7a1f9p-1, 0x1.0c3d7c6c8cbp-7 } },
    },
    {
        { BOX, { 0x1p-1, 0x1p+0, 0x1p+0 } },
        { { 0, 0, 0 }, { 0x1p+0, 0, 0, 0x1p+0 } },
        { CONE, { 0x1.8p-1, 0, 0x1.8p-1 } },
        { { 0x1p-1, 0x1p-1, 0x1p+0 }, { 0x1p+1, 0, 0x1p+1, 0 } },
    },
    {
        { CONE, { 0x1.a98db369bb36ep-1, 0, 0x1.e42504e170098p-1 } },
        { { 0, 0, 0 },
          { 0x1.8bebfaff30f68p-3, -0x1.cffb3f5d2a2b8p-2, -0x1.a51f14e0fe338p-3, 0x1.a1c2ca9238544p-2 } },
        { BOX, { 0x1.edd3baa2457b7p-3, 0x1.81f529ddf7a32p-1, 0x1.ebad623fd30dep-1 } },
        { { 0x1.2a4625e319154p+0, 0x1.3552ac82d07bap+0, 0x1.b9ac80a1c52bp+0 },
          { 0x1.8c4a94ca037p-2, 0x1.3332e1da5c94p-6, 0x1.ab2e3fcc549f4p-2, 0x1.afe6c59f0961cp-2 } },
    },
    {
        { ELLIPSOID, { 0x1.7540f03683d23p-12, 0x1.1e00d911dffaep-13, 0x1.84532b0c2e1b6p-1 } },
        { { -0x1.4105c05519ap-3, -0x1.3f5da4e88996p+2, 0x1.2f7863764082ep+2 },
          { -0x1.d958e4cc233p-8, -0x1.69b14bae6c0d8p-3, 0x1.95b1725114d78p-3, -0x1.c38cdb7c6af08p-3 } },
        { ELLIPSOID, { 0x1.1046d5d56486ap-1, 0x1.80d27eb5ae36ap-1, 0x1.e3465a9b949fp-1 } },
        { { -0x1.4105bd147e099p-3, -0x1.3f5da4f3802bap+2, 0x1.2f78638ca5f0ap+2 },
          { -0x1.64cdf2802194p-6, -0x1.16852af9169d8p-3, 0x1.dbf70b8fd9fd4p-2, -0x1.8b74a58e0d2a4p-1 } },
    },
    {
        { ELLIPSOID, { 0x1.05d465a4f0a45p-2, 0x1.e01fb7ca4ce7dp-3, 0x1.74116deca21c2p-1 } },
        { { -0x1.42cc060e06a88p+1, -0x1.daf1080b7e3d6p+1, 0x1.de7cd414c9028p+0 },
          { 0x1.b53e658f7d778p-3, -0x1.419d9f9de899p-4, -0x1.d67a162886bdp-3, 0x1.06e6a1ee14022p-1 } },
        { ELLIPSOID, { 0x1.3cfe8fb5876e9p-10, 0x1.3e11c444277d2p-5, 0x1.44f00d4cba91ep-6 } },
        { { -0x1.42cc060e06a88p+1, -0x1.daf1080b7e3d6p+1, 0x1.de7cd414c9028p+0 },
          { 0x1.8d541ce575588p-3, -0x1.20cc003da1358p-1, -0x1.4a08fe2e7c7bp-2, 0x1.04f7b50b27116p-1 } },
    },
    {
        { BOX, { 0x1p-2, 0x1.8p-1, 0x1p-2 } },
        { { 0, 0, 0 }, { 0x1p+0, 0, 0, 0 } },
        { ELLIPSOID, { 0x1p-1, 0x1p+0, 0x1p+0 } },
        { { 0x1p+0, -0x1p-2, -0x1p-2 }, { 0x1p+0, -0x1p+0, 0x1p+0, 0x1p+0 } },
    },
    {
        { CYLINDER, { 0x1.5efedf4e6d98dp-1, 0, 0x1.a2b9a3b4e4e06p-1 } },
        { { 0, 0, 0 },
          { -0x1.16fcd6d8832e4p-2, 0x1.371a0a0b02d5ep-1, -0x1.362d9932f3102p-1, 0x1.8cd5ed858f274p-2 } },
        { ELLIPSOID, { 0x1.4e8fdc7db9758p-2, 0x1.ac226406f235ap-3, 0x1.ba264d188ede7p-3 } },
        { { -0x1.085704c90056fp-42, 0x1.47c22f4677e7fp-43, 0x1.85571128fe2ap-43 },
          { -0x1.8a3b1eb314794p-2, -0x1.7de8eaf7bcbf8p-1, -0x1.a8ab9ddbfe44p-5, 0x1.f73f6300e70cp-4 } },
    },
    {
        { ELLIPSOID, { 0x1.a70a258615efcp-1, 0x1.62c081e81f7fep-1, 0x1.ea66e96b9b79fp-2 } },
        { { 0x1.97b8f6cd59a1p+1, 0x1.2e0f505e676eep+1, -0x1.4135257ec19b4p+0 },
          { -0x1.c21da5cc1483p-1, -0x1.88f415f13947cp-2, -0x1.3a6931fdb93fp-4, 0x1.80b9a55cedc4p-4 } },
        { CONE, { 0x1.075a7a8d9eb9bp-20, 0, 0x1.db518622c207fp-21 } },
        { { 0x1.97b8f6cd59a1p+1, 0x1.2e0f505e676eep+1, -0x1.4135257ec19b4p+0 },
          { -0x1.47b0df984bdbcp+0, 0x1.4c7e7fd045fd8p-2, -0x1.5507f5beccbf8p-1, -0x1.3ee6d12c654b2p+0 } },
    },
    {
        { CONE, { 0x1.e3aeb31c7edfcp-1, 0, 0x1.efc11a971a3e2p-1 } },
        { { -0x1.a891e139b9958p-1, -0x1.bbd59ccdaebcp-1, 0x1.15e4d5a97abap+0 },
          { 0x1.b9666e63ef89p-4, 0x1.7ede932d6a1fcp-2, 0x1.6e7b2c026abc4p-1, 0x1.1ab2874992e5p-2 } },
        { ELLIPSOID, { 0x1.b6fcb3fed0feep-1, 0x1.56d1a7e5d7122p-1, 0x1.aecd05aa7577ep-1 } },
        { { -0x1.d075481647307p-1, -0x1.e6ffe7112310ep-1, 0x1.1d384ec64c346p+0 },
          { 0x1.6fe069a01ed58p-2, -0x1.1a91eeb6e784ap-1, -0x1.694613c89dd2cp-1, 0x1.64145998aa648p-3 } },
    },
    {
        { ELLIPSOID, { 0x1.9d4da76f4c658p-2, 0x1.d10e278aca898p-2, 0x1.69ebe48d6f57dp-2 } },
        { { 0, 0, 0 },
          { 0x1.62daaea4a1dc8p-2, 0x1.1452806e0cdap-2, -0x1.2e68d7f447ca8p-3, -0x1.4c2a20f9224e2p-1 } },
        { BOX, { 0x1.af3c6c7777d1bp-21, 0x1.3654915dd8e5ep-21, 0x1.c27bc741d2988p-23 } },
        { { 0x1.dab4773fe08f3p-48, 0x1.0b8d71ecf1e23p-46, -0x1.df13793899d5fp-48 },
          { 0x1.42fa7199f709cp-2, -0x1.38b0748197ccp-5, -0x1.ac8186796eddp-3, -0x1.b50c5342b02c2p-1 } },
    },
};

/* Faces, edges, sides and slants that face each other along a direction that rounding turns by
 * 1e-14. */
static const pin distances[] = {
    {
        { BOX, { 0x1.30068f1b75f16p+0, 0x1.90d902f176a78p+0, 0x1.de7e18e282352p-1 } },
        { { 0, 0, 0 },
          { -0x1.7333f8add2ap-7, 0x1.0b62c1e8a01e8p-2, -0x1.0ce2ce8b640fp-4, 0x1.cc91b0aad1348p-3 } },
        { BOX, { 0x1.30068f1b75f16p+0, 0x1.90d902f176a78p+0, 0x1.de7e18e282352p-1 } },
        { { 0x1.b034628ba1869p+1, 0x1.e423628ff251ep-6, 0x1.029e9b67fbab3p+0 },
          { 0x1.6f8a5be0d65a8p-3, 0x1.7ae0db38562dp-4, -0x1.3c766203abf8p-7, -0x1.6c6a9f0f0e58p-3 } },
    },
    {
        { BOX, { 0x1.2334dc2ef3674p+4, 0x1.210c0d913e567p+4, 0x1.756b1850d8637p+3 } },
        { { 0, 0, 0 },
          { 0x1.a2a4d1e9c7c38p-3, 0x1.62706b14051ep-3, -0x1.c9e6c2ac3ad6p-3, -0x1.2b81dff23a6fap-1 } },
        { BOX, { 0x1.2334dc2ef3674p+4, 0x1.210c0d913e567p+4, 0x1.756b1850d8637p+3 } },
        { { -0x1.4aeda85f34c51p+3, -0x1.b9363464cbfd9p+4, -0x1.8e2f1dfaca367p+4 },
          { 0x1.24df75dc6d87p-2, 0x1.a8006b72518c8p-2, 0x1.0c5c55279848ap-1, -0x1.11c2414b7a9ep-4 } },
    },
    {
        { BOX, { 0x1.2558a2df1beabp+7, 0x1.665d289e3098bp+6, 0x1.64cb875fdce3cp+7 } },
        { { 0, 0, 0 },
          { -0x1.9d193fcd24eaap-1, -0x1.e8bba1ca7e0cp-5, 0x1.b1c559307d164p-2, -0x1.a606f0acb2d8p-4 } },
        { BOX, { 0x1.2558a2df1beabp+7, 0x1.665d289e3098bp+6, 0x1.64cb875fdce3cp+7 } },
        { { -0x1.4784c91c4bd48p+7, 0x1.e6eca89cfbadap+7, -0x1.0acaa93ffd83ep+8 },
          { -0x1.23422533db1bcp-2, -0x1.213233c01cfp-4, -0x1.a036ca3858678p-2, -0x1.347ab9c97404p-5 } },
    },
    {
        { BOX, { 0x1.0df91df80b30ep-14, 0x1.89958acfa3414p-13, 0x1.537da3ded8ddp-13 } },
        { { 0, 0, 0 },
          { 0x1.6a05e267a7b5p-3, -0x1.b4932d2b541d8p-2, 0x1.5598a7df580dcp-1, 0x1.08a8faf59d3f8p-2 } },
        { BOX, { 0x1.0df91df80b30ep-14, 0x1.89958acfa3414p-13, 0x1.537da3ded8ddp-13 } },
        { { -0x1.8502f737a199dp-12, 0x1.dc6a838cbdd24p-15, 0x1.4c4da80c5e93cp-12 },
          { -0x1.d9fed4cc1261p-4, 0x1.3dd8e61775266p-1, 0x1.20fe3b68ee0f8p-2, 0x1.9a1dbb030d05p-2 } },
    },
    {
        { BOX, { 0x1.b4053cae186d8p-17, 0x1.0f8257bc053a8p-16, 0x1.2bc61dcf4779cp-17 } },
        { { 0, 0, 0 },
          { 0x1.f5b05cadcc18p-4, 0x1.0325ca2a13a5p-4, -0x1.a6db8c9ccf20ep-1, -0x1.1c0884e3db294p-2 } },
        { BOX, { 0x1.b4053cae186d8p-17, 0x1.0f8257bc053a8p-16, 0x1.2bc61dcf4779cp-17 } },
        { { -0x1.ba65abd381b72p-17, 0x1.e31917585f0f2p-16, 0x1.8c8af26b49dc5p-16 },
          { 0x1.24361288449p-3, -0x1.af772c79de7bp-2, 0x1.635f2b6a5b3cp-6, 0x1.5ecf29bb21232p-1 } },
    },
    {
        { CONE, { 0x1.f57bd27df664p-18, 0, 0x1.20d6552327cbfp-16 } },
        { { 0, 0, 0 },
          { -0x1.581fdb7f77c24p-2, -0x1.617fd8c8afb4p-2, 0x1.1ef903c8f3474p-1, 0x1.91f21cb3d9dap-4 } },
        { CYLINDER, { 0x1.708af55b7ac28p-17, 0, 0x1.1cc1cbb41edc8p-16 } },
        { { -0x1.f1626e8fa04bcp-16, -0x1.282d0156aaed7p-18, -0x1.760a3e1cf305ep-16 },
          { 0x1.579f5a9b3262p-4, -0x1.2f5170c1ae1bp-4, 0x1.11c41d1ba16bp-4, -0x1.d2e54c8d7c8c4p-2 } },
    },
    {
        { CYLINDER, { 0x1.5b387d63bb124p-4, 0, 0x1.721aaa8a036e4p-3 } },
        { { 0, 0, 0 },
          { 0x1.f68d014e626bcp-2, 0x1.0f7f5eab5600cp-2, 0x1.125ee001c4c88p-3, 0x1.73d06d297a1bp-1 } },
        { CONE, { 0x1.d8cf4537a08edp-4, 0, 0x1.3ce86a4094827p-4 } },
        { { -0x1.fee99cd3e0e47p-3, -0x1.543ca3e407ecep-6, -0x1.d509fd265990ap-4 },
          { -0x1.13acd3817b86cp-1, 0x1.6444b6359fa1p-2, -0x1.b6ed32ebc9558p-2, 0x1.bc00fc7cdd63p-2 } },
    },
    {
        { CYLINDER, { 0x1.5b3b0e3d67c42p+2, 0, 0x1.3de3f2ee0ade6p+4 } },
        { { 0, 0, 0 },
          { -0x1.2a18ed5931eep-3, 0x1.4c5a0b10e297p-2, 0x1.f8be7623e16f8p-2, -0x1.6d34b9286f9c2p-1 } },
        { CONE, { 0x1.07346f96531d3p+4, 0, 0x1.f9b7c6e6a81cp+3 } },
        { { -0x1.470b23af31656p+3, -0x1.0e9d9c6973fafp+3, 0x1.822c68ad7fa56p+4 },
          { -0x1.710c8b2cdd36p-4, -0x1.248f7238e42c4p-1, 0x1.eb9c24965dcb8p-3, 0x1.be5555f9a50cp-5 } },
    },
    {
        { CYLINDER, { 0x1.bb662239de774p-2, 0, 0x1.e71ae3e6f2a06p+0 } },
        { { 0, 0, 0 },
          { -0x1.53e3b4aa95a94p-2, 0x1.2b1a47a01345cp-2, -0x1.2292b055bc12cp-2, 0x1.0da3e62dca148p-2 } },
        { CONE, { 0x1.8421fbd88db5cp-1, 0, 0x1.de5f6aa064d5dp-1 } },
        { { -0x1.32d35e5742e3fp+1, -0x1.1643844527ebcp-2, -0x1.4bc8e159a7f2cp+0 },
          { 0x1.2f6c67502df8p-4, 0x1.d1ab31422f998p-3, 0x1.c585a0117162p-5, 0x1.807085a4ce11ap-1 } },
    },
    {
        { CONE, { 0x1.4de364028f484p+10, 0, 0x1.b47b9613904p+10 } },
        { { 0, 0, 0 },
          { -0x1.87fa28bf738p-2, 0x1.05aff1f27ebap-2, -0x1.d8229fa43b88p-2, 0x1.8a44ecbb5827p-2 } },
        { CYLINDER, { 0x1.fd7cbc3a60d4ep+9, 0, 0x1.9b0fd7dd0068p+10 } },
        { { 0x1.8c5896a1b582ap+11, -0x1.4b93e7760aba7p+10, 0x1.e4cc243d54747p+9 },
          { -0x1.a4f475967185p-1, -0x1.910414ffd58ap-5, -0x1.59fd715fd454cp-2, -0x1.8baa006648718p-3 } },
    },
    {
        { CONE, { 0x1.5cdebdbbd6ebap-13, 0, 0x1.0f8b1501e59c4p-13 } },
        { { 0, 0, 0 },
          { 0x1.c64cc1ac14428p-3, -0x1.7fb8b6681827p-1, 0x1.f7c0b96ffa654p-2, 0x1.654f4fd75648p-7 } },
        { CYLINDER, { 0x1.0d2ccba3b0ea8p-13, 0, 0x1.57aa67a27177p-13 } },
        { { 0x1.e2f377bd4469dp-14, 0x1.74034015262b8p-13, -0x1.100de6bff9438p-12 },
          { -0x1.5c0d69eddaec8p-3, -0x1.82c10f9e11cp-3, -0x1.1109a96b969bp-1, 0x1.6696cfd6070fcp-1 } },
    },
    {
        { CYLINDER, { 0x1.e30f62030239cp+0, 0, 0x1.9dbe44a979796p+0 } },
        { { 0, 0, 0 },
          { 0x1.05d0e4b863beap-1, 0x1.cc05e3fe7675p-4, -0x1.acebb14984f9p-2, 0x1.41cb443f0f11ap-1 } },
        { CONE, { 0x1.8b0153919d52ap+0, 0, 0x1.0f6da1ec6ce1p+0 } },
        { { -0x1.0c2f4b0ba6073p-1, 0x1.5d09948e86ffep+1, 0x1.55a14a5d3b34fp+0 },
          { 0x1.8db57330a3a8p-3, 0x1.39354ca9e4e44p-1, 0x1.23483bb94ad7p-1, 0x1.949b3059f594p-5 } },
    },
    {
        { CONE, { 0x1.33d431b93e91ap+2, 0, 0x1.60df915aba03bp+3 } },
        { { 0, 0, 0 },
          { -0x1.0bc824e65b836p-1, 0x1.48e065962626p-5, 0x1.1bb6906792d48p-2, 0x1.28d584365859p-2 } },
        { CYLINDER, { 0x1.2afbd24c420d4p+3, 0, 0x1.36ffac5c12e63p+4 } },
        { { -0x1.8cda797532dedp+4, -0x1.f9d368808f68fp-3, 0x1.1bb163a441f5p+4 },
          { 0x1.138e0878aac0ap-1, 0x1.5ede412eb3858p-3, 0x1.3d98fd98b9784p-1, 0x1.45f848e82ca98p-3 } },
    },
    {
        { CONE, { 0x1.a8f538ef908cdp+9, 0, 0x1.c772541730a93p+8 } },
        { { 0, 0, 0 },
          { 0x1.9c0f9edf67b7p-3, -0x1.0a5f94c4fc20ep-1, -0x1.b1e1a10a038e4p-2, -0x1.04d24f5b6a16p-2 } },
        { CYLINDER, { 0x1.0ad1ae45cd50fp+9, 0, 0x1.ea3bbd3473bbbp+10 } },
        { { -0x1.ba258c7bd40b5p+10, 0x1.4f8bc9f8c448ap+9, -0x1.0ea2ff3a895ecp+10 },
          { 0x1.8cca970884fcp-2, 0x1.31eed908927b2p-1, -0x1.0d5cdda78c7a6p-1, -0x1.5d600a8edaad8p-2 } },
    },
};

static abut_shape *make(const body *b, oracle_body *out)
{
    abut_shape *shape = NULL;
    *out = (oracle_body){ .h = { b->h[0], b->h[1], b->h[2] } };
    switch (b->type) {
    case BOX:
        out->core = ORACLE_CORE_BOX;
        assert_int_equal(abut_shape_create_box(out->h, NULL, &shape), ABUT_OK);
        break;
    case CYLINDER:
        out->core = ORACLE_CORE_CYLINDER;
        assert_int_equal(abut_shape_create_cylinder(b->h[0], 2 * b->h[2], NULL, &shape), ABUT_OK);
        break;
    case CONE:
        out->core = ORACLE_CORE_CONE;
        assert_int_equal(abut_shape_create_cone(b->h[0], 2 * b->h[2], NULL, &shape), ABUT_OK);
        break;
    default:
        out->core = ORACLE_CORE_ELLIPSOID;
        assert_int_equal(abut_shape_create_ellipsoid(out->h, NULL, &shape), ABUT_OK);
    }
    return shape;
}

/* Both orders, by poses: not refuted, and as narrow as promised. */
static void check_pin(const pin *p, size_t number, bool deep)
{
    oracle_body bodies[2];
    abut_shape *const shape[2] = { make(&p->a, &bodies[0]), make(&p->b, &bodies[1]) };
    for (int i = 0; i < 2; ++i) {
        const oracle_convex pair = { &bodies[i], &bodies[!i], i ? p->at_b : p->at_a, i ? p->at_a : p->at_b };
        abut_check_result r;
        assert_int_equal(abut_check(shape[i], &pair.pose_a, shape[!i], &pair.pose_b, NULL, NULL, &r),
                         ABUT_OK);
        assert_int_equal(r.verdict, deep ? ABUT_PENETRATING : ABUT_SEPARATE);
        const double lo = deep ? -r.depth.hi : r.distance.lo, hi = deep ? -r.depth.lo : r.distance.hi;
        const oracle_gap gap = oracle_convex_gap(&pair, &r.normal, 1, ORACLE_THOROUGH, deep ? lo : HUGE_VALL,
                                                 deep ? hi : -HUGE_VALL);
        TEST_CHECK(gap.hi >= lo && gap.lo <= hi, "pair %zu, order %d: [%.17g, %.17g], true [%.20Lg, %.20Lg]",
                   number, i, lo, hi, gap.lo, gap.hi);
        if (deep)
            TEST_CHECK(hi - lo <= 1e-9 * -lo + 1e-13 * (double)gap.scale,
                       "pair %zu, order %d: depth [%.17g, %.17g]", number, i, -hi, -lo);
        else {
            abut_distance_result d;
            assert_int_equal(abut_distance(shape[i], &pair.pose_a, shape[!i], &pair.pose_b, NULL, NULL, &d),
                             ABUT_OK);
            const long double middle = d.distance.lo + 0.5L * (d.distance.hi - d.distance.lo);
            TEST_CHECK(fabsl(middle - gap.lo) <= 1e-12L * gap.lo,
                       "pair %zu, order %d: distance alone %.20Lg, true %.20Lg", number, i, middle, gap.lo);
            TEST_CHECK(fabsl(lo + 0.5L * (hi - lo) - gap.lo) <= 1e-12L * gap.lo,
                       "pair %zu, order %d: distance [%.17g, %.17g], true %.20Lg", number, i, lo, hi, gap.lo);
        }
        TEST_CHECK(r.counters.evaluations <= 200, "pair %zu: %" PRIu64 " evaluations", number,
                   r.counters.evaluations);
    }
    for (int i = 0; i < 2; ++i)
        abut_shape_release(shape[i]);
}

static void pairs_that_were_wide_are_narrow(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i)
        check_pin(&depths[i], i, true);
    for (size_t i = 0; i < sizeof distances / sizeof *distances; ++i)
        check_pin(&distances[i], i, false);
}

/* ---- cells alone ---- */

static uint64_t asked, narrow;

static void check_cells(const query *q, test_random *r, uint64_t seed)
{
    abut_convex_pair pair;
    if (q->a->type == HALFSPACE || q->b->type == HALFSPACE ||
        !abut_convex_pair_from_poses(q->a->shape, &q->pair.pose_a, q->b->shape, &q->pair.pose_b, &pair))
        return;
    abut_convex_answer out = { .lo = -INFINITY, .hi = INFINITY, .normal = random_direction(r) };
    abut_convex_point p = { .a = 0 };
    out.lo = abut_convex_separation(&pair, out.normal, &p);
    const double size = pair.a->size + pair.b->size;
    if (!(out.lo < -1e-6 * size))
        return;
    abut_depth_by_cells(&pair, &out);
    TEST_CHECK(out.supports <= 200, "seed %" PRIu64 ": %u supports", seed, out.supports);
    const long double radii = pair.radii, lo = out.lo - radii, hi = out.hi - radii;
    const abut_vec3 n = abut_mul(&pair.frame.linear, out.normal);
    const oracle_gap gap = oracle_convex_gap(&q->pair, &n, 1, ORACLE_QUICK, lo, hi);
    TEST_CHECK(gap.hi >= lo && gap.lo <= hi,
               "seed %" PRIu64 ", %s - %s: [%.20Lg, %.20Lg], true [%.20Lg, %.20Lg]", seed,
               type_names[q->a->type], type_names[q->b->type], lo, hi, gap.lo, gap.hi);
    const bool flat = abut_core_is_flat(pair.a) || abut_core_is_flat(pair.b);
    if (q->random && !flat && gap.hi < -1e-3L * gap.scale && out.hi < INFINITY) {
        ++asked;
        narrow += hi - lo <= 1e-9L * -lo + 1e-12L * gap.scale;
    }
}

static void cells_prove_what_is_true(void **state)
{
    (void)state;
    const uint64_t count = test_count(6000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i ^ 0xce11);
        if (i % 4096 == 0) {
            test_random pool = test_seed(i ^ 0x9001);
            fill_pool(&pool);
        }
        query q;
        draw_query(&r, &q);
        check_cells(&q, &r, i);
    }
    empty_pool();
    print_message("%" PRIu64 " of %" PRIu64 " random depths within 1e-9 by cells alone\n", narrow, asked);
    TEST_CHECK(100 * narrow >= 90 * asked, "%" PRIu64 " of %" PRIu64, narrow, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_were_wide_are_narrow),
        cmocka_unit_test(cells_prove_what_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
